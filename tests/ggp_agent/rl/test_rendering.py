"""Pictures of environments: images of single and of many games, and videos."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from quick import few

import ggp_agent as ggp
from ggp_agent.rl import GameAECEnv, GameEnv, GameParallelEnv, GameVectorEnv

LIST_ONLY = "(role a) (init (step 1)) (legal a go) (<= (next d) (does a go)) (<= terminal (true d)) (goal a 5)"


def played(env: GameParallelEnv, turns: int) -> list[Any]:
    """Play at random; return the images."""
    rng = np.random.default_rng(1)
    _, infos = env.reset(seed=1)
    images = [env.render()]
    while env.agents and len(images) <= turns:
        actions = {agent: rng.choice(np.flatnonzero(infos[agent]["action_mask"])) for agent in env.agents}
        *_, infos = env.step(actions)
        images.append(env.render())
    return images


@pytest.mark.slow
@pytest.mark.parametrize(
    "game, size",
    few(
        {
            "tic_tac_toe": (480, 480),
            "connect_four": (420, 480),
            "hex": (318, 480),  # the drawing has 319 rows
            "three_hunters": (432, 480),
            "kuhn_poker": (306, 480),
            "fast:breakthrough_6x6": (480, 480),
            LIST_ONLY: (480, 480),
        }.items(),
        1,
    ),
)
def test_images_of_a_game_have_one_size(game: str, size: tuple[int, int]) -> None:
    env = GameParallelEnv(ggp.load_game(game), render_mode="rgb_array")
    images = played(env, 8)
    for image in images:
        assert image.dtype == np.uint8
        assert image.shape == (*size, 3)
        assert len(np.unique(image.reshape(-1, 3), axis=0)) > 5
    assert (images[0] != images[-1]).any()


def test_a_vector_environment_draws_each_game() -> None:
    vector = GameVectorEnv("tic_tac_toe", 3, role="x", render_mode="rgb_array")
    singles = [GameEnv("tic_tac_toe", role="x", render_mode="rgb_array") for _ in range(3)]
    vector.reset(seed=4)
    for lane, single in enumerate(singles):
        single.reset(seed=4 + lane)
    actions = np.arange(3)
    vector.step(actions)
    images = vector.render()
    assert isinstance(images, tuple) and len(images) == 3
    assert (images[0] != images[1]).any()
    for image, action, single in zip(images, actions, singles, strict=True):
        single.step(action)
        assert (image == single.render()).all()
    texts = GameVectorEnv("tic_tac_toe", 2, role="x", render_mode="ansi")
    texts.reset(seed=1)
    assert texts.render() == (str(texts.lanes.state(0)), str(texts.lanes.state(1)))
    silent = GameVectorEnv("tic_tac_toe", 2)
    silent.reset(seed=1)
    assert silent.render() is None


MAKERS: list[Callable[..., Any]] = [
    lambda **options: GameEnv("tic_tac_toe", role="x", **options),
    lambda **options: GameVectorEnv("tic_tac_toe", 2, **options),
    lambda **options: GameAECEnv("tic_tac_toe", **options),
    lambda **options: GameParallelEnv("tic_tac_toe", **options),
]


@pytest.mark.parametrize("make", MAKERS)
def test_all_environments_describe_and_draw_their_pictures(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make(render_mode="rgb_array")
    assert env.render_mode == "rgb_array"
    assert env.metadata["render_modes"] == ["ansi", "rgb_array"]
    assert env.metadata["render_fps"] == 1
    env.reset(seed=1)
    image = np.array(env.render())
    assert (np.array(pickle.loads(pickle.dumps(env)).render()) == image).all()
    with pytest.raises(ValueError, match="render_mode must be 'ansi' or None, or 'rgb_array' for an image, not 'x'"):
        make(render_mode="x")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ggp.UserError, match=r"render_mode 'rgb_array' needs more packages; .* resvg-py"):
        make(render_mode="rgb_array")


def frames_of(path: Path, width: int, height: int) -> np.ndarray:  # type: ignore[type-arg]
    """Return the frames of a video, [frames, height, width, 3], by the ffmpeg of moviepy's dependency."""
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    data = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(data, np.uint8).reshape(-1, height, width, 3)


def test_gymnasium_records_videos(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="moviepy is not installed: pip install moviepy")
    name, options = "ggp_agent.rl.gym_env:ggp_agent/Game-v0", {"game": "connect_four", "render_mode": "rgb_array"}
    env = gymnasium.wrappers.RecordVideo(gymnasium.make(name, role="red", **options), str(tmp_path / "one"))
    _, info = env.reset(seed=1)
    drawn, over = [env.unwrapped.render()], False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
        drawn.append(env.unwrapped.render())
    env.close()
    many = gymnasium.wrappers.vector.RecordVideo(
        gymnasium.make_vec(name, 4, "vector_entry_point", **options), str(tmp_path / "many"), video_length=3
    )
    many.reset(seed=1)
    for _ in range(3):
        many.step(many.unwrapped.sample_actions())  # type: ignore[attr-defined]
    many.close()
    frames = frames_of(tmp_path / "one" / "rl-video-episode-0.mp4", 480, 420)
    assert len(frames) == len(drawn) > 4
    assert np.abs(frames.astype(int) - np.array(drawn)).mean() < 4  # the format is lossy
    (video,) = (tmp_path / "many").glob("*.mp4")
    assert len(frames_of(video, 960, 840)) == 4  # after the reset and three steps
