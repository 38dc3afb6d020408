"""The sums: a file counts once where it is sent once, and never under somebody else's name."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from recto.projects.tokens import CountedParts, SkillPart, TokenTally, add_up

names = st.sampled_from(["a.md", "b.md", "c/d.py", "gone.txt", "é.md"])
lists = st.lists(names, max_size=6)
amounts = st.integers(min_value=0, max_value=10_000)
choices = st.builds(
    CountedParts,
    files=lists,
    contexts=st.dictionaries(st.sampled_from(["c1", "c2", "c3"]), lists),
    skills=st.dictionaries(
        st.sampled_from(["s1", "s2", "builtin.concise"]),
        st.builds(SkillPart, prompt=amounts, files=lists),
    ),
    additional_prompt=amounts,
)
tokens_of_files = st.dictionaries(names, amounts)


def naive(parts: CountedParts, tokens: Mapping[str, int]) -> TokenTally:
    """The same, written out: every part lists its files, then everything is added one by one."""
    named: list[tuple[str, str]] = []

    def note(part: str, files: Sequence[str]) -> int:
        mine = 0
        for path in files:
            if path in tokens and (part, path) not in named:
                named.append((part, path))
                mine += tokens[path]
        return mine

    total = note("files", parts.files) + parts.additional_prompt
    contexts: dict[str, int] = {}
    for key, files in parts.contexts.items():
        contexts[key] = note(f"context {key}", files)
        total += contexts[key]
    skills: dict[str, int] = {}
    for key, skill in parts.skills.items():
        skills[key] = note(f"skill {key}", skill.files) + skill.prompt
        total += skills[key]
    once: list[str] = []
    deduplicated = total
    for _, path in named:
        if path in once:
            deduplicated -= tokens[path]
        else:
            once.append(path)
    paths = [path for _, path in named]
    return TokenTally(
        total=total,
        deduplicated=deduplicated,
        files={path: tokens[path] for path in once},
        contexts=contexts,
        skills=skills,
        additional_prompt=parts.additional_prompt,
        overlapping=[path for path in sorted(once) if paths.count(path) > 1],
    )


@given(choices, tokens_of_files)
def test_the_sums_are_those_of_adding_one_by_one(
    parts: CountedParts, tokens: dict[str, int]
) -> None:
    assert add_up(parts, tokens) == naive(parts, tokens)


@given(choices, tokens_of_files)
def test_the_total_is_the_sum_of_what_is_shown(parts: CountedParts, tokens: dict[str, int]) -> None:
    tally = add_up(parts, tokens)

    picked = sum(tally.files.get(path, 0) for path in set(parts.files))
    shown = [picked, *tally.contexts.values(), *tally.skills.values(), tally.additional_prompt]
    assert tally.total == sum(shown)
    assert (tally.total == tally.deduplicated) == (
        sum(tally.files[path] for path in tally.overlapping) == 0
    )


def test_t23_a_file_named_twice_is_sent_once_and_skills_go_by_their_ids() -> None:
    parts = CountedParts(
        files=["a.md", "b.md"],
        contexts={"c1": ["a.md"], "c2": ["a.md", "c/d.py"]},
        skills={"s1": SkillPart(7, ["b.md"]), "s2": SkillPart(7, [])},
        additional_prompt=3,
    )

    tally = add_up(parts, {"a.md": 100, "b.md": 20, "c/d.py": 5})

    assert tally == TokenTally(
        total=100 + 20 + 100 + 105 + 27 + 7 + 3,
        deduplicated=100 + 20 + 5 + 7 + 7 + 3,
        files={"a.md": 100, "b.md": 20, "c/d.py": 5},
        contexts={"c1": 100, "c2": 105},
        skills={"s1": 27, "s2": 7},
        additional_prompt=3,
        overlapping=["a.md", "b.md"],
    )
