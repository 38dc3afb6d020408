"""The passages: plain prose as people write it in notes, reports and letters."""

from dataclasses import dataclass

TEXTS = (
    "The gauge at {place} recorded the tide every {number} minutes. {name} read it each morning "
    "and wrote the height into a book. The book is still there, and the ink has hardly faded.",
    "We tested {number} samples of sea water from {place}. Most of them were clean. Those taken "
    "near the harbour held more copper than the law allows, so we sent them to {name}.",
    "Thank you for your letter about the house in {place}. {name} looked at the roof last week and "
    "found {number} broken tiles. The repair will begin as soon as the weather is dry.",
    "The program reads a file of {number} lines and counts the words in it. {name} wrote the first "
    "version in {place}. It was slow, because it opened the file again for every word.",
    "In the spring {name} planted {number} apple trees behind the school in {place}. The children "
    "water them on warm days. Nobody expects any fruit before the third year.",
    "The meeting in {place} began late, since {name} had missed the train. There were {number} "
    "people in the room. They agreed on the budget and left the question of the roof for later.",
    "{name} walked from {place} to the coast in {number} days. The path follows the river, then "
    "climbs over a low hill. From the top you can see the islands when the air is clear.",
    "Our library in {place} lends {number} books a week. {name} keeps the catalogue on paper "
    "cards. We would like to move it to a computer, but the cards have worked for a long time.",
    "The survey asked {number} households in {place} how they heat their rooms. Most of them burn "
    "gas. {name} thinks that half of them would change if somebody helped with the cost.",
    "The engine failed after {number} hours. {name} took it apart in the workshop at {place} and "
    "found that a small screw had come loose. A better washer would have prevented the damage.",
    "{name} teaches {number} pupils in {place}. On Fridays they cook together. The older ones read "
    "the recipe aloud and the younger ones weigh the flour, which is a lesson in itself.",
    "The old bridge at {place} carries {number} cars a day. It was built for horses. {name} warned "
    "the council that the stones are moving, and asked for a limit on the weight of lorries.",
    "We kept the cells at the same temperature for {number} hours and then counted them. {name} "
    "repeated the count in {place}. The two counts differ by less than one part in ten.",
    "The museum in {place} owns {number} clocks. Only a few of them run. {name} winds those every "
    "Monday, and visitors often come at noon to hear all of them strike at once.",
    "Rain fell in {place} for {number} days without a break. The river rose to the lower windows "
    "of the mill. {name} moved the flour upstairs in time, and nothing was lost.",
    "This chapter follows {number} families who left {place} for the city. {name} found their "
    "letters in an attic. They write about work and weather, and seldom about what they miss.",
    "The new rule says that {number} per cent of the fee goes to {place}. {name} has asked for a "
    "simpler form. At present a farmer fills in the same numbers on two different pages.",
    "{name} measured the light of the star on {number} nights from the hill above {place}. It "
    "grows dim every second night. The reason is a smaller star that passes in front of it.",
    "The bakery in {place} sells {number} loaves before nine. {name} starts the dough at midnight. "
    "A machine would be faster, but the customers say that they would notice the difference.",
    "I have read the draft from {place} twice. It is good, and {number} pages too long. {name} "
    "should cut the second part and tell the reader at the start what the result is.",
)
FACTS = (
    ("Brest", "Anna Weber", "12"),
    ("Lisbon", "Tom Baker", "340"),
    ("Oslo", "Maria Rossi", "27"),
    ("Cork", "James Lee", "85"),
    ("Turin", "Eva Novak", "1,500"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, with the name, the place and the number that must stay in it."""

    text: str
    facts: tuple[str, ...]


def passages() -> list[Passage]:
    """All hundred."""
    return [
        Passage(text.format(place=place, name=name, number=number), (place, name, number))
        for text in TEXTS
        for place, name, number in FACTS
    ]
