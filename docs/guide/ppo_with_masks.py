"""Train a policy for one role by PPO with masks of legal actions, in plain PyTorch.

    pip install torch --index-url https://download.pytorch.org/whl/cpu
    pip install tensorboard
    python docs/guide/ppo_with_masks.py connect_four red --checkpoint ppo.pt --curves runs/ppo
    python docs/guide/ppo_with_masks.py connect_four red --checkpoint ppo.pt --resume
    tensorboard --logdir runs

The algorithm is proximal policy optimisation (Schulman et al. 2017), in one file as in CleanRL. Illegal actions get
probability 0 (Huang and Ontañón 2022). The opponent moves at random. A checkpoint contains the network, the optimiser
and the number of updates.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from gymnasium.vector import AutoresetMode
from torch import Tensor, nn
from torch.distributions import Categorical

import ggp_agent as ggp
from ggp_agent.rl import GameVectorEnv

# An update plays STEPS steps in GAMES games, and uses each step EPOCHS times, in BATCHES parts.
GAMES, STEPS, EPOCHS, BATCHES = 64, 32, 2, 4
# The learning rate, and the decay of later rewards and of later advantages.
RATE, DISCOUNT, LAMBDA = 2.5e-3, 0.99, 0.95
# The limits of a change of the policy and of the gradient's norm, and the weights of entropy and value in the loss.
CLIP, MAX_NORM, ENTROPY, VALUE = 0.2, 0.5, 0.01, 0.5


class Network(nn.Module):
    """A policy and a value, each with two hidden layers."""

    def __init__(self, inputs: int, actions: int, hidden: int = 64) -> None:
        super().__init__()
        self.policy, self.value = (
            nn.Sequential(
                nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, outputs)
            )
            for outputs in (actions, 1)
        )
        with torch.no_grad():
            self.policy[-1].weight *= 0.01  # the first policy is nearly uniform

    def forward(self, seen: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution of the legal actions, and the values [n]."""
        logits = self.policy(seen).masked_fill(~mask, torch.finfo(torch.float32).min)
        return Categorical(logits=logits), self.value(seen).squeeze(1)


def tensors(observation: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """Return the observations as float32 [n, inputs], and the masks of legal actions as bool [n, actions]."""
    seen = torch.as_tensor(observation["observation"], dtype=torch.float32).flatten(1)
    return seen, torch.as_tensor(observation["action_mask"], dtype=torch.bool)


class Trainer:
    """The network, its optimiser, and games that continue from update to update."""

    def __init__(self, game: str, role: str, seed: int) -> None:
        # A game that ends starts again in the same step.
        self.env = GameVectorEnv(game, GAMES, role=role, opponent="random", autoreset_mode=AutoresetMode.SAME_STEP)
        space = self.env.single_observation_space["observation"]
        self.network = Network(int(torch.tensor(space.shape).prod()), int(self.env.single_action_space.n))
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=RATE, eps=1e-5)
        self.updates = 0
        self.observation, _ = self.env.reset(seed=seed)

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        states = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save({**states, "updates": self.updates}, path)

    def load(self, path: Path) -> None:
        """Read a checkpoint of the same game and role."""
        states = torch.load(path, weights_only=True)
        self.network.load_state_dict(states["network"])
        self.optimizer.load_state_dict(states["optimizer"])
        self.updates = states["updates"]

    def update(self) -> dict[str, float]:
        """Play some steps in all games, improve the network, and return the numbers for the curves."""
        played, mean_reward = self._play()
        losses = self._learn(*played)
        self.updates += 1
        return {"mean reward": mean_reward, **losses}

    @torch.no_grad()
    def _play(self) -> tuple[list[Tensor], float]:
        """Return observations, masks, actions, their log-probabilities, advantages and returns; the mean reward."""
        steps: list[tuple[Tensor, ...]] = []
        for _ in range(STEPS):
            seen, mask = tensors(self.observation)
            policy, value = self.network(seen, mask)
            action = policy.sample()
            self.observation, reward, ended, _, _ = self.env.step(action.numpy())
            rewards = torch.as_tensor(reward, dtype=torch.float32)
            steps.append((seen, mask, action, policy.log_prob(action), value, rewards, torch.as_tensor(ended)))
        seen, mask, action, logs, values, rewards, ended = (torch.stack(each) for each in zip(*steps, strict=True))
        # Generalised advantage estimation (Schulman et al. 2016).
        advantages, advantage = torch.zeros_like(values), torch.zeros(GAMES)
        following = self.network(*tensors(self.observation))[1]
        for step in reversed(range(STEPS)):
            continues = (~ended[step]).float()
            error = rewards[step] + DISCOUNT * continues * following - values[step]
            advantage = error + DISCOUNT * LAMBDA * continues * advantage
            advantages[step], following = advantage, values[step]
        flat = [each.flatten(0, 1) for each in (seen, mask, action, logs, advantages, advantages + values)]
        return flat, float(rewards.sum() / ended.sum().clamp(min=1))

    def _learn(
        self, seen: Tensor, mask: Tensor, actions: Tensor, logs: Tensor, advantages: Tensor, returns: Tensor
    ) -> dict[str, float]:
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(seen)).chunk(BATCHES):
                policy, value = self.network(seen[rows], mask[rows])
                ratio = (policy.log_prob(actions[rows]) - logs[rows]).exp()
                advantage = advantages[rows]
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
                error = (value - returns[rows]).square().mean() / 2
                entropy = policy.entropy().mean()
                self.optimizer.zero_grad()
                (VALUE * error - gain - ENTROPY * entropy).backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), MAX_NORM)
                self.optimizer.step()
        return {"value error": error.item(), "entropy": entropy.item()}


@torch.no_grad()
def mean_reward(network: Network, game: str, role: str, games: int = 400) -> float:
    """Return the mean reward of the policy against random play."""
    env = GameVectorEnv(game, games, role=role, opponent="random", autoreset_mode=AutoresetMode.DISABLED)
    observation, _ = env.reset(seed=1_000_000)
    total, over = torch.zeros(games), torch.zeros(games, dtype=torch.bool)
    while not over.all():
        policy, _ = network(*tensors(observation))
        observation, reward, terminated, truncated, _ = env.step(policy.sample().numpy())
        total += torch.as_tensor(reward, dtype=torch.float32)
        over = torch.as_tensor(terminated | truncated)
    return total.mean().item()


def parse_options() -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """Return the parser and the options of the command line."""
    parser = argparse.ArgumentParser(description="Train a policy by PPO with masks of legal actions.")
    parser.add_argument("game", help="a game, as for ggp-agent")
    parser.add_argument("role", help="the role of the learner")
    parser.add_argument("--updates", type=int, default=100, help="the number of updates (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of all random numbers (default: 1)")
    parser.add_argument("--checkpoint", type=Path, help="the file to write at the end")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    parser.add_argument("--curves", type=Path, help="a folder for TensorBoard")
    options = parser.parse_args()
    if options.resume and options.checkpoint is None:
        parser.error("--resume needs --checkpoint")
    return parser, options


def writer_of(folder: Path | None) -> Any:
    """Return a writer of curves; None without a folder."""
    if folder is None:
        return None
    from torch.utils.tensorboard import SummaryWriter  # needs the package tensorboard

    return SummaryWriter(folder)


def main() -> None:
    torch.set_num_threads(1)  # the network is so small that more threads are slower
    parser, options = parse_options()
    torch.manual_seed(options.seed)
    try:
        writer = writer_of(options.curves)
        trainer = Trainer(options.game, options.role, options.seed)
    except ModuleNotFoundError as error:
        parser.error(f"--curves needs the package {error.name}: pip install tensorboard")
    except ggp.UserError as error:
        parser.error(str(error))
    if options.resume:
        try:
            trainer.load(options.checkpoint)
        except (OSError, KeyError, RuntimeError, UnpicklingError) as error:
            reason = str(error).splitlines()[0]
            parser.error(f"{options.checkpoint} is not a checkpoint of this game and role: {reason}")

    def report() -> None:
        reward = mean_reward(trainer.network, options.game, options.role)
        print(f"after {trainer.updates} updates: mean reward {reward:.2f} against random play")

    report()
    for _ in range(options.updates):
        numbers = trainer.update()
        for name, number in numbers.items() if writer is not None else ():
            writer.add_scalar(name, number, trainer.updates * GAMES * STEPS)
    report()
    if writer is not None:
        writer.close()
    if options.checkpoint is not None:
        trainer.save(options.checkpoint)
        print(f"wrote {options.checkpoint}")


if __name__ == "__main__":
    main()
