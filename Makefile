# `make run` and `make test` are all a new machine needs: Python 3.11 or newer, git and make.
PYTHON ?= python3
PY := .venv/bin/python
FOLDER ?=

# Pure rooms and the path jail: what most changes touch, and what answers within a minute.
QUICK := tests/config tests/messages tests/context tests/assist tests/workspace/test_jail.py tests/workspace/test_kept.py tests/test_architecture.py \
	tests/llm/anthropic_messages tests/llm/openai_responses tests/llm/openai_chat tests/llm/gemini

# The rooms whose coverage is measured (pyproject.toml), by their own tests.
COVERED := tests/messages tests/context tests/agent tests/llm/anthropic_messages tests/llm/openai_responses tests/llm/openai_chat tests/llm/gemini

.DEFAULT_GOAL := help
.PHONY: help setup dev run test quick check coverage soak prices bench clients wheel lock types

help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## set up .venv and build the page (a no-op when nothing changed)
	@$(PYTHON) scripts/setup.py

dev:
	@$(PYTHON) scripts/setup.py --dev

run: setup ## open Recto on FOLDER=… or on a sample folder
	@$(PY) scripts/run.py $(FOLDER)

test: dev ## set up, lint, type-check and run every test
	@$(PY) scripts/check.py --tests

quick: dev ## the checks and tests that finish within a minute
	@$(PY) scripts/check.py --quick
	@$(PY) -m pytest -q -n 2 -m "not slow" $(QUICK)

check: dev ## linters, type checkers, import contracts, generated types
	@$(PY) scripts/check.py

# Apart from `make test`, because measuring slows the tests down, most of all before Python 3.12.
coverage: dev ## lines and branches of the pure rooms that their tests reach, with a floor
	@$(PY) -m coverage run -m pytest -q $(COVERED)
	@$(PY) -m coverage report

soak: dev ## the long runs: every random history, every budget schedule, every edit, every kill, every hostile text, every property
	@export RECTO_HISTORIES=100000 RECTO_TRANSLATIONS=100000 RECTO_DAMAGED=25000 RECTO_SCHEDULES=10000 RECTO_TURN_KILLS=5000 RECTO_WRITE_KILLS=100 RECTO_WORD_KILLS=100 RECTO_RETURNED_CHANGES=500 RECTO_OFFICE_EDITS=500 RECTO_NOTEBOOK_KILLS=100 RECTO_NOTEBOOK_ROUNDS=2000 RECTO_NOTEBOOK_SCHEDULES=1000 RECTO_INJECTIONS=all \
		RECTO_EDITS=10000 RECTO_SHARED_EDITS=10000 RECTO_SHARED_KILLS=200 RECTO_LEASE_KILLS=200 RECTO_LOAD_S=600 RECTO_CROSSINGS=300 RECTO_ANCHOR_EDITS=10000 RECTO_TYPING_KILLS=200 RECTO_RESTART_S=300 RECTO_CORPUS=all RECTO_REORDERS=400 RECTO_RELOADS=50 RECTO_RACES=100000 RECTO_EXAMPLES=1000 RECTO_FUZZ_EXAMPLES=200 RECTO_FRAMES=100000 RECTO_SCREENS=1 RECTO_TASK_MS=100 RECTO_BATCH_MS=250 RECTO_DAMAGED_FILES=10000; \
		$(PY) -m pytest -q -n 2 --dist worksteal tests/faults/test_kill_during_turns.py && \
		$(PY) -m pytest -q -s --ignore=tests/faults/test_kill_during_turns.py tests

prices: dev ## take the price list over from the installed genai-prices
	@$(PY) scripts/prices.py

bench: dev ## benchmarks, each a ratio against a named alternative
	@$(PY) scripts/bench.py

clients: dev ## Claude Code, Codex, OpenCode and aider through a gateway, each over foreign protocols
	@$(PY) scripts/clients.py

wheel: dev ## build dist/recto-*.whl, page included, and its bill of materials
	@$(PY) scripts/page.py
	@rm -rf dist && $(PY) -m pip wheel -q --no-deps --no-build-isolation --wheel-dir dist .
	@$(PY) scripts/bill.py dist
	@ls dist

lock: dev ## resolve the lock files again
	@$(PY) scripts/lock.py

types: dev ## generate the page's API types from the server
	@$(PY) scripts/api_types.py
