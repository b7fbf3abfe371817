"""Games as environments of PettingZoo (https://pettingzoo.farama.org).

Agents are the roles, by name. An observation has the facts of the state as bits, the same for all, and the legal actions of the agent
as `action_mask`. Rewards are the goals at the end, from 0 to 100. A game needs a net. Of facts of which always just one holds, the last may
have no bit: it holds where the others do not. Games that hide their states (GDL-II) are refused, as observations would show what is hidden;
`ludolog.openspiel` has what a role has seen.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from ._ludolog import Error
from .gymnasium import integer, refuse_hidden
from .vector import Step, Vector, vector

__all__ = ["env", "parallel_env"]


def _action(given: Any, agent: str) -> int:
    number = integer(given)
    if number is None:
        raise Error(f"an action is an integer, not {given!r}, as that of {agent}")
    # The game takes it for a lane that keeps its state.
    if number == Vector.STAY:
        raise Error(f"there is no action {number}, as that of {agent}")
    return number


class _Spaces:
    """What both kinds of environments have."""

    def __init__(self, path: str | PathLike[str] | None, text: str | None) -> None:
        self.game: Vector = vector(path, text=text)
        refuse_hidden(self.game)
        self.possible_agents = list(self.game.roles)
        self.render_mode = None
        self._actions = {
            agent: spaces.Discrete(len(actions)) for agent, actions in zip(self.possible_agents, self.game.actions)
        }
        self._observations = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (len(self.game.facts),), np.int8),
                    "action_mask": spaces.Box(0, 1, (len(actions),), np.int8),
                }
            )
            for agent, actions in zip(self.possible_agents, self.game.actions)
        }

    def observed(self, step: Step, agent: str) -> dict[str, NDArray[np.int8]]:
        mask = step.masks[self.possible_agents.index(agent)][0]
        return {"observation": step.observations[0].astype(np.int8), "action_mask": mask.astype(np.int8)}

    def goals(self, step: Step) -> dict[str, float]:
        over = bool(step.terminated[0])
        return {agent: float(goal) if over else 0.0 for agent, goal in zip(self.possible_agents, step.rewards[0])}


class parallel_env(ParallelEnv[str, Any, int]):
    """All roles act at each step; one that has no turn has one legal action, to wait."""

    metadata: dict[str, Any] = {"name": "ludolog", "render_modes": []}

    def __init__(self, path: str | PathLike[str] | None = None, *, text: str | None = None) -> None:
        self._spaces = _Spaces(path, text)
        self.possible_agents = self._spaces.possible_agents
        self.agents: list[str] = []
        self.render_mode = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces._observations[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces._actions[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """The first state. Nothing is random, so the seed says nothing."""
        step = self._spaces.game.reset()
        self.agents = list(self.possible_agents)
        observations = {agent: self._spaces.observed(step, agent) for agent in self.agents}
        return observations, {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Makes an action of each agent."""
        agents = self.agents
        if not agents:
            raise Error("the game is over: reset it")
        if set(actions) != set(agents):
            raise Error(f"actions are needed of {', '.join(agents)}")
        step = self._spaces.game.step(np.asarray([[_action(actions[agent], agent) for agent in agents]]))
        over = bool(step.terminated[0])
        if over:
            self.agents = []
        return (
            {agent: self._spaces.observed(step, agent) for agent in agents},
            self._spaces.goals(step),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )


class env(AECEnv[str, Any, Any]):
    """The role that has the turn acts; where several move at once, one after the other, without knowing what was chosen."""

    metadata: dict[str, Any] = {"name": "ludolog", "render_modes": [], "is_parallelizable": False}

    def __init__(self, path: str | PathLike[str] | None = None, *, text: str | None = None) -> None:
        super().__init__()
        self._spaces = _Spaces(path, text)
        self.possible_agents = self._spaces.possible_agents
        self.agents: list[str] = []
        self.agent_selection = ""
        self.render_mode = None
        self._chosen: dict[str, int] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces._observations[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._spaces._actions[agent]

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        observed = self._spaces.observed(self._spaces.game.look(), agent)
        if self._waiting and agent not in self._waiting:
            observed["action_mask"][:] = 0
        return observed

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """The first state. Nothing is random, so the seed says nothing."""
        step = self._spaces.game.reset()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._begin(step)

    def step(self, action: Any) -> None:
        """Makes an action of the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        mask = self.observe(agent)["action_mask"]
        number = _action(action, agent)
        if not 0 <= number < len(mask) or not mask[number]:
            raise Error(f"action {action} is not legal for {agent}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._chosen[agent] = number
        self._waiting.remove(agent)
        if self._waiting:
            self.agent_selection = self._waiting[0]
        else:
            joint = [[self._chosen.get(agent, -1) for agent in self.possible_agents]]
            step = self._spaces.game.step(np.asarray(joint))
            self.rewards = self._spaces.goals(step)
            self.terminations = dict.fromkeys(self.agents, bool(step.terminated[0]))
            self._begin(step)
        self._accumulate_rewards()

    def _begin(self, step: Step) -> None:
        """Selects those who act next."""
        self._chosen = {}
        turn = int(step.turns[0])
        over = bool(step.terminated[0])
        self._waiting = [] if over else [self.possible_agents[turn]] if turn >= 0 else list(self.possible_agents)
        self.agent_selection = self._waiting[0] if self._waiting else self.agents[0]
