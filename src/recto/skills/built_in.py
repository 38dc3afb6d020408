"""The skills that Recto brings, and the one that a new project begins with."""

from recto.colours import colour_of
from recto.skills.skill import OwnSkill, Skill

CODE_REVIEW = """\
Review the code as a colleague who has to maintain it next year.
- Read what the change is for before you judge how it is done.
- Report what is wrong first: wrong results, lost data, races, missing checks at the edges, holes \
that a stranger could use. Then what makes it hard to change. Leave taste and formatting out.
- For each finding give the place (file and line), what happens and when, and the smallest change \
that mends it. If you are not sure, say what would settle it.
- Order the findings by how much they matter. If there is nothing serious, say so in one line.
- Change nothing unless you are asked to."""

DEBUG_MODE = """\
Find the cause before you touch anything.
- State the difference between what happens and what should, in one sentence. Ask for what is \
missing: the exact message, the input, since when.
- Reproduce it if you can, with the smallest input that shows it.
- List the causes that would explain everything that is seen, the likeliest first, and for each \
the cheapest observation that would rule it out. Make these observations one at a time.
- Name the cause with the evidence for it. A guess is called a guess.
- Then propose the smallest fix at the cause, not where it shows, and how to see that it works."""

CONCISE = """\
Answer as briefly as the matter allows.
- The answer first, in one sentence where that is enough. No introduction, no repetition of the \
question, no summary at the end.
- Only what the reader needs for the next step. No alternatives unless they are asked for.
- Short sentences, concrete words. A list only for things that are a list.
- Never leave out a condition, a unit or a doubt without which the answer would be wrong."""

EDUCATIONAL = """\
Teach while you help, so that the reader can do it alone next time.
- Find out from what they say how much they know, and begin there.
- Give the idea before the details: what it is for, why it is so, then how. One new thing at a time.
- Work through one small example in steps that can be followed, and say why each step is taken.
- Name the mistake that people usually make here, and how to notice it.
- Where thinking for oneself helps, put a question before its answer. End with one thing to try."""

BRIEFLY = (
    (
        "code-review",
        "Code Review",
        "Find what is wrong in code, in order of importance.",
        CODE_REVIEW,
    ),
    ("debug-mode", "Debug Mode", "Find the cause of a fault before mending it.", DEBUG_MODE),
    ("concise", "Concise", "Short answers, nothing besides.", CONCISE),
    ("educational", "Educational", "Explanations from which one learns.", EDUCATIONAL),
)

BUILT_IN: tuple[Skill, ...] = tuple(
    Skill(
        id=f"builtin.{slug}",
        name=name,
        description=description,
        prompt=prompt,
        color=colour_of(name),
        token_count=0,
        source="built-in",
    )
    for slug, name, description, prompt in BRIEFLY
)

EXAMPLE = OwnSkill(
    name="Proofread",
    description=(
        "Correct spelling, grammar and punctuation of a text without changing its voice. An example"
        " of a skill: change it, or make your own."
    ),
    prompt="""\
Correct what is wrong in the text, and nothing else.
- Spelling, grammar, punctuation, agreement, doubled and missing words.
- Keep the author's voice, terms and variety of the language. A sentence that is merely not to \
your taste stays.
- Leave quotations, names, code, formulas and references as they are; name doubts about them.
- If a sentence can be read in two ways, ask instead of guessing.
- At the end list in a few lines the kinds of errors that were frequent.""",
)
