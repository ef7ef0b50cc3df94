"""Refusals: answers in which the model declines to answer.

"I'm sorry, but I can't help with that."      refused
"Sorry, I made a mistake. 3 + 4 = 7."         not refused
"I cannot find 7 in ... The answer is ##3##." not refused: an answer was read
"""

import re

# Only opening words, and only with what is declined: a solution too may apologise or say "I cannot".
_I_CANNOT = (
    r"\bi(?: can ?['’]?t| can ?not| won['’]?t| will not| (?:must|have to) decline to"
    r"|(?: a|['’])m (?:unable|not able) to)\b"
)
_DECLINED = (
    r"(?:help|assist|answer|respond|comply|fulfil+|provide|complete|solve|discuss|continue|engage|generate|"
    r"create|write|share|offer|support|participate|do (?:this|that|so))\b"
)
_REFUSAL = re.compile(
    r"[\s\"'“*_]*+(?:"
    rf"i(?:['’]| a)m (?:so |very |really |truly )?sorry\b[^.!?\n]{{0,60}}{_I_CANNOT}"
    rf"|sorry, (?:but )?{_I_CANNOT}"
    rf"|i (?:must )?apologi[sz]e\b[^.!?\n]{{0,60}}{_I_CANNOT}"
    rf"|as an ai\b[^.!?\n]{{0,60}}{_I_CANNOT}"
    rf"|(?:unfortunately,? )?{_I_CANNOT} (?:\w+ )?{_DECLINED}"
    r")",
    re.IGNORECASE,
)


def is_refusal(text: str | None, answer: str | None) -> bool:
    """Whether the text's first words decline ("I'm sorry, but I can't …") and no answer could be read in it.

    Refused answers are thus among the unreadable ones. The words are English: others are missed.
    """
    return answer is None and text is not None and _REFUSAL.match(text) is not None
