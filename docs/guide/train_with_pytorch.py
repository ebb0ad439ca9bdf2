"""Train a learned network with PyTorch, on a GPU where there is one.

    pip install torch --index-url https://download.pytorch.org/whl/cpu
    ggp-agent learn breakthrough --minutes 5 --state runs/breakthrough
    python docs/guide/train_with_pytorch.py runs/breakthrough trained.npz
    ggp-agent learn breakthrough --import trained.npz

The program reads the network and the latest positions of a run, trains all layers, and writes a network with the same
arrays. The positions of the last generation are not used for training: the error is measured on them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

NONE = 65_535  # fluents without a feature, moves without a policy
WEIGHTS = ("w1", "b1", "w2", "b2", "wv", "bv", "sv", "wp", "bp", "s")


class Positions:
    """Positions of some generations, as the network sees them.

    Attributes:
        features: the true features, bytes of shape [n, F].
        results, searched: targets of the values, [n, V].
        policies: probabilities of the legal moves, [n, P]; -1 for other moves, and in positions without such a target.
    """

    def __init__(self, paths: list[Path], net: dict[str, np.ndarray]) -> None:
        parts = [self._read(path, net) for path in paths]
        arrays = (torch.from_numpy(np.concatenate(each)) for each in zip(*parts, strict=True))
        self.features, self.results, self.searched, self.policies = arrays

    @staticmethod
    def _read(path: Path, net: dict[str, np.ndarray]) -> list[np.ndarray]:
        stored = np.load(path)
        movers, count = stored["movers"], len(stored["movers"])
        # A state is seen in the view of the role that chooses, if there are several views.
        views = np.maximum(movers, 0) if len(net["features"]) > 1 else 0 * movers
        bits = np.unpackbits(stored["states"].view(np.uint8), axis=1, bitorder="little")
        features = np.zeros((count, len(net["w1"])), np.uint8)
        results, searched = (np.zeros((count, len(net["bv"])), np.float32) for _ in range(2))
        for view, feature_of in enumerate(net["features"]):
            rows, known = np.flatnonzero(views == view), np.flatnonzero(feature_of < NONE)
            features[np.ix_(rows, feature_of[known])] = bits[np.ix_(rows, known)]
            for value in range(len(net["bv"])):
                roles = net["values"][view] == value
                signs = net["signs"][view, roles]
                results[rows, value] = (signs * stored["results"][np.ix_(rows, roles)]).mean(axis=1)
                searched[rows, value] = (signs * stored["searched"][np.ix_(rows, roles)]).mean(axis=1)
        # Moves of all roles are numbered role by role. A view knows the policies of the role that chooses.
        policies = np.full((count, len(net["bp"])), -1, np.float32)
        group_of = np.repeat(np.arange(len(stored["move_ends"])), np.diff(stored["move_ends"], prepend=0))
        position_of = np.repeat(np.arange(count), np.diff(stored["group_ends"], prepend=0))[group_of]
        first_move = np.cumsum([0, *json.loads(bytes(net["header"]))["moves"]])
        moves = first_move[stored["group_roles"][group_of]] + stored["move_numbers"]
        policy = net["policies"][views[position_of], moves].astype(int)
        known = policy < NONE
        policies[position_of[known], policy[known]] = stored["probabilities"][known]
        return [features, results, searched, policies]


class Network(torch.nn.Module):
    """The network of docs/methods/learning.md, with the weights of a file."""

    def __init__(self, net: dict[str, np.ndarray]) -> None:
        super().__init__()
        for name in WEIGHTS:
            if name in net:  # large games have no `s`
                self.register_parameter(name, torch.nn.Parameter(torch.from_numpy(net[name].copy())))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the values [n, V] and the logits [n, P]."""
        h1 = torch.relu(x @ self.w1 + self.b1)
        h2 = torch.relu(h1 @ self.w2 + self.b2)
        logits = h2 @ self.wp.T + self.bp
        if hasattr(self, "s"):
            logits = logits + x @ self.s
        return torch.tanh(h2 @ self.wv.T + x @ self.sv.T + self.bv), logits


def divergence_of(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the mean cross entropy of the legal moves, of the positions that have such a target.

    Roles that choose at the same time are treated as one group here; the program itself has a group for each role.
    """
    legal = target >= 0
    rows = legal.any(dim=1)
    if not rows.any():
        return logits.sum() * 0
    target, legal = target[rows].clamp(min=0), legal[rows]
    logs = functional.log_softmax(logits[rows].masked_fill(~legal, -1e9), dim=1)
    return -(target * logs).sum(dim=1).div(target.sum(dim=1).clamp(min=1)).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a learned network with PyTorch.")
    parser.add_argument("run", type=Path, help="the folder of a run of ggp-agent learn")
    parser.add_argument("to", type=Path, help="the new .npz file")
    parser.add_argument("--epochs", type=int, default=4, help="uses of each position (default: 4)")
    parser.add_argument("--generations", type=int, default=50, help="the number of latest generations (default: 50)")
    parser.add_argument("--rate", type=float, default=5e-4, help="the learning rate (default: 0.0005)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()

    torch.manual_seed(1)
    net = dict(np.load(options.run / "network.npz"))
    paths = sorted(options.run.glob("positions-*.npz"), key=lambda path: int(path.stem.split("-")[1]))
    if len(paths) < 2:
        parser.error(f"{options.run} has fewer than two generations")
    known, new = Positions(paths[-options.generations : -1], net), Positions(paths[-1:], net)
    network = Network(net).to(options.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.01)

    def report(when: str) -> None:
        with torch.no_grad():
            values, logits = network(new.features.to(options.device, torch.float32))
            error = functional.mse_loss(values, new.results.to(options.device)).item()
            divergence = divergence_of(logits, new.policies.to(options.device)).item()
        print(f"{when}: error {error:.3f}, cross entropy {divergence:.3f} in {len(new.features):,} new positions")

    report("before")
    for epoch in range(options.epochs):
        for rows in torch.randperm(len(known.features)).split(512):
            values, logits = network(known.features[rows].to(options.device, torch.float32))
            target = (known.results[rows] + known.searched[rows]) / 2
            loss = functional.mse_loss(values, target.to(options.device)) / 2
            loss = loss + divergence_of(logits, known.policies[rows].to(options.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        report(f"epoch {epoch + 1} of {options.epochs}")
    trained = {name: each.detach().cpu().numpy() for name, each in network.named_parameters()}
    np.savez(options.to, **(net | trained))
    print(f"wrote {options.to}")


if __name__ == "__main__":
    main()
