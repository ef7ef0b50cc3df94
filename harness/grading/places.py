r"""Finds answers in a text: each reader knows one way of giving an answer.

    hashes       The answer is ##18##.   #### 18          the text between the marks
    boxed        so \boxed{18}   \boxed 18                the body; \boxed{3} and \boxed{5} are one answer
    tag=NAME     <NAME>18</NAME>                          the body of the tag
    answer-is    **Final Answer:** 18   [[18]]            what is stated: a line `Answer:`, double brackets or
                 <answer>18</answer>                      the tag <answer>; else
                 The answer is 18.                        what follows these words in their sentence
    last-number  in all 18 eggs                           the last number

Quantifiers that could backtrack are possessive, so every text is searched in linear time.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from harness.grading.marks import between_hashes, boxed, boxes, in_tag, without_introduction
from harness.grading.thoughts import FIELD
from results.canonical import THOUSANDS_SPACE

READERS = ("hashes", "boxed", "answer-is", "last-number")
TAG = "tag="
"""How a reader of a tag of one's own begins: tag=solution."""
READER_NAME = rf"^(?:{'|'.join(READERS)}|{TAG}[A-Za-z][\w-]{{0,40}})$"
Reader: TypeAlias = str
"""A name that READER_NAME matches."""

_KIND = r"(?:(?:final|correct|best|right|required|desired|numerical|integer|exact|(?:most|only)\s++\w++)\s++)"
_ADVERBS = "clearly definitely exactly indeed just likely obviously only probably simply then therefore thus"
_SURELY = "|".join(["most likely", *_ADVERBS.split()])
_BE = r"is|was|(?:w|c|sh)ould\s++be|(?:must|will|(?:ha|seem|appear)s\s++to)\s++be"
_IS = rf"\s++(?:{_BE})\b(?:\s++(?:{_SURELY})\b)?+"
_NAMED_SO = "response|letter|choice|option"
_COLON = r"(?::\s*+(?:(?<=\n)(?:>|[-*•](?=[ \t])(?![^\n]*+\n\s*+[-*•][ \t]))\s*+)?+)?+"
"""After a colon the answer may be on a later line: `The answer is:` and below it `**18**`."""
_LINE = r"[->•+ \t*_`#]*+"
"""What a line may begin with: quotation, list or other Markdown marks."""
_ANSWER_WORDS = """
antwort lösung réponse reponse respuesta risposta resposta antwoord odpowiedź svar svaret
vastaus jawaban jawabannya cevap yanıt ответ відповідь απάντηση उत्तर
الجواب الإجابة উত্তর సమాధానం คำตอบ jibu đáp\\sán đáp\\ssố
"""
_ELSEWHERE = "|".join(_ANSWER_WORDS.split())
_RIGHT = r"(?:finale?|corr?ecta|correct[eo]?|correta|corretta|esatta|đúng|yang\sbenar|الصحيحة|النهائية)"
_BE_ELSEWHERE = "ist|lautet|est|es|é\\sa|é|è|is|är|er|adalah|to|là|ni|είναι|это|[-–—]|হলো|হল|هي|هو"
_SO_ELSEWHERE = "donc|daher|also|somit|entonces|portanto|então|quindi|dunque|dus|de|wie\\sfolgt"
_SO_ELSEWHERE += r"|(?:la\s)?s(?:iguiente|uivante|eguinte|eguente)"
_TO_WHAT = r"(?:\s++(?:(?:to|for)\s++(?:the|this|your)\s++(?:\w++\s++)?(?:question|problem)|here)|,\s\w++,)?+"
_PHRASE = re.compile(
    rf"\b(?:(?:the|my|our)\s++(?:{_KIND}(?:answer|option|choice)|answer)|my\s++choice"
    rf"|{_KIND}(?:answer|statement|{_NAMED_SO}))"
    rf"(?:\s++choice)?+{_TO_WHAT}{_IS}(?:\s++as\s++follows\b)?+{_COLON}|^{_LINE}answer\s++is\b:?+"
    rf"|(?<!\w)(?:(?!lösung)(?:{_ELSEWHERE})(?:\s{_RIGHT})?+"
    rf"|(?:option|opción|opção|alternativa|opzione)\s{_RIGHT})"
    rf"\s(?:{_BE_ELSEWHERE})(?!\w)(?:\s(?:{_SO_ELSEWHERE})\b)?+\s?:?|उत्तर\s(?=\W{{0,4}}[A-Z\d])|คำตอบคือ"
    r"|(?:答案|选项|選項|正解|答え|解答)(?:是|为|為|應為|应为|选|選|は)[:：、]?"
    r"|(?:故|应|應)(?:选|選)(?:择|擇)?[:：]?|(?:因此|所以)[，,]?(?:选|選)"
    r"|(?:정답|답)[은는이][:：]?",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = (
    rf"(?:(?<![^\W_])(?:answer|ans|{_ELSEWHERE})(?:\s(?:choice|option|letter|{_RIGHT}))?+"
    "|答案|答え|回答|正解|정답|답변|답)"
)
_DRESS = r"[ \t*_`#]*+"
_KEY = rf"[\"']{FIELD}[\"']\s*+:\s*+"
"""The key of a field in JSON or a Python dict."""
_STATED = re.compile(
    r"<(?:final[_-]?+)?answer>(?P<tag>(?:[^<]|<(?!/(?:final[_-]?+)?answer>))*+)(?:</(?:final[_-]?+)?answer>|\Z)"
    r"|\[\[(?P<brackets>[^\[\]\n]{1,80}+)\]\]"
    rf"|{_KEY}\"(?P<quoted>(?:[^\"\\\n]|\\.)*+)\"|{_KEY}'(?P<apostrophes>(?:[^'\\\n]|\\.)*+)'"
    rf"|{_KEY}(?P<bare>(?!(?:null|None)\b)[^\s\"'\[{{,}}][^,}}\n]*+)"
    rf"|{_LABEL}{_DRESS}[:：]{_DRESS}|【(?:答案|答え|正解)】{_DRESS}"
    rf"|^{_LINE}(?:final\s)?{_LABEL}{_DRESS}[-–—=](?!>){_DRESS}"
    rf"|^{_LINE}(?:(?:final|correct|best|right|my|selected|chosen)\s(?:{_NAMED_SO})|choice|option)"
    rf"{_DRESS}[:：]{_DRESS}"
    rf"|^{_LINE}(?:final\s)?answer{_DRESS}$",
    re.IGNORECASE | re.MULTILINE,
)
_VALUE_LIKE = re.compile(
    r"[\s*_`\"'“‘({\[<]*+(?:[-+±−]?+(?:[$€£¥]?+\.?+\d|[\\$√∞π])|(?:option|choice)\b"
    r"|[^\W\d](?:,|\s?[)\]](?!.*(?-i:\s[a-z]\))))"  # "B) Paris"; "a) 3 and b) 4" is a list
    r"|[^\W\d]{1,2}(?!\w)\s*+(?:$|[^\w\s,'’)\]]|because|since|as\b|is\b))",
    re.IGNORECASE,
)
_BELOW = re.compile(r"\A[*_# \t]*+\n\s*+(?:>\s*+|```(?:latex|tex|text|txt|plaintext|math|markdown)\n)")
"""The line breaks and marks before a quotation or a fenced block on a later line."""
_ESCAPED = re.compile(r"\\([\\\"'])")
_FEW_WORDS = 4
_BEGINNING_WORDS = "let let's we to first the there if since given step i this it here"
_BEGINNINGS = frozenset(_BEGINNING_WORDS.split())
"""Words that begin a worked answer but never a value."""
_STEPS = re.compile(r"\s*+(?:1[.)]\s(?s:.)*?^\s*+2[.)]|[-•*]\s[^\n]*+\n\s*+[-•*])\s", re.MULTILINE)
"""A list of steps, as in worked answers."""
_NUMBERED = re.compile(r"\d++[.)][ \t]++\S")
_IN_CODE = re.compile(r"(?:=|\w\(|\breturn\b)\s*+\{[^{}]*+\Z")
"""What stands before a field of an object that a program makes."""
_LOOKED_BACK = 300
_QUESTION = re.compile(r"^\W*+(?:Q|question|problem)\b[^\n:]{0,20}+:", re.IGNORECASE | re.MULTILINE)
FORMULA = re.compile(
    r"[\s*_`]*+(?:\$\$((?:[^$\\]|\\[\s\S])++)\$\$|\$((?:[^$\n\\]|\\.)++)\$|\\\((.*?)\\\)|\\\[((?s:.)*?)\\\])"
)
"""A formula that begins a text, between $ or other LaTeX delimiters; an escaped dollar does not end it."""
_SET_APART = re.compile(
    r"\A\s*+(?:\$\$([^$]++)\$\$|\\\[((?:[^\\]|\\(?!\]))*+)\\\]"
    r"|\\begin\{equation\*?\}((?:[^\\]|\\(?!end\{))*+)\\end\{equation\*?\})"
)
"""A display formula, which may span several lines."""
# "34,\!650" and "5\;m" hold LaTeX spaces, "5!/3!" factorials; "9 a.m." and "i.e." end no sentence.
_SENTENCE = re.compile(
    r"(?:[^.!?;…—。।۔！？；✓✔✅☑\n]|\.(?=\d)|(?<=\\)[!;]|!(?=[^\W_]|[\^/+}])"
    r"|(?<=[^\w.][ap])\.(?=m\.)|(?<=[ap]\.m)\.|(?<=\bRs)\.(?=\s?\d)|(?<=\W[iI])\.(?=e\.)|(?<=[iI]\.e)\.)*"
)
_REASON = re.compile(
    r"(?:,?\s(?:because|since|as|rather\sthan|instead\sof)\s|,\s(?:which|so|not)\s|\s(?:and|but)\snot\s"
    r"|,?\s\(?i\.e\b|\s\((?:because|since|as|that\sis|namely|from|not)\s).*",
    re.DOTALL | re.IGNORECASE,
)
_NUMBER_ALONE = re.compile(r"(?:(?<![\w)])[-+])?[0-9](?:(?:[.,:/^*+-]|\{,\}|,\\!)*[0-9])*")


def find(reader: Reader, text: str) -> Iterator[str]:
    """The texts in which `reader` looks for an answer, in their order."""
    if reader.startswith(TAG):
        return in_tag(reader.removeprefix(TAG), text)
    return _FINDERS[reader](text)


def stated(text: str) -> list[str]:
    """The text after each `Answer:` up to the next, and inside <answer>…</answer>, [[…]] and "answer": ….

    Texts that cannot be a value are left out, such as the beginning of a worked example:
    `Answer: Let us think about it first`.
    """
    bodies = []
    end = len(text)
    for match in reversed(_statements(text)):
        body = text[match.end() : end] if (held := _held(match)) is None else held
        bodies.append(without_introduction(_on_one_line(_BELOW.sub("", body).lstrip("*_`# \t\n"))))
        end = match.start()
    return [body for body in reversed(bodies) if _may_be_a_value(body)]


def _on_one_line(text: str) -> str:
    """`text` with the display formula that begins it on a single line."""
    return _SET_APART.sub(lambda found: f"$${' '.join(found[found.lastindex or 0].split())}$$", text)


def without_reason(text: str) -> str:
    """18 for `18, because 9 + 9 is`, `18, not 17` and `18 (since 2 * 9 is)`."""
    return _REASON.sub("", text)


def final_statement(text: str) -> str | None:
    """The answer stated after a box, at the very end of the text: it outranks a box in the working."""
    box = next((end for _, end, _ in boxes(text)), -1)
    stated = next(reversed(_statements(text, max(box, 0))), None)
    if box < 0 or stated is None or _QUESTION.search(text, box, stated.start()):
        return None
    held, rest = _held(stated), text[stated.end() :]
    ends_here = held is None or not rest.strip(" \n}`")
    body = without_introduction((rest if held is None else held).strip().strip("*_`#"))
    return body if ends_here and "\n" not in body and _may_be_a_value(body) else None


def _statements(text: str, start: int = 0) -> list[re.Match[str]]:
    """Where the text states an answer, from `start` on; `x = {"answer": 3}` is a program's."""
    fields = ("quoted", "apostrophes", "bare")
    return [
        match
        for match in _STATED.finditer(text, start)
        if match.lastgroup not in fields
        or not _IN_CODE.search(text[max(0, match.start() - _LOOKED_BACK) : match.start()])
    ]


def _held(stated: re.Match[str]) -> str | None:
    """The body of a tag, brackets or a field; a newline after it says that nothing more belongs to it."""
    if stated.lastgroup is None:
        return None
    held = stated[stated.lastgroup]
    if stated.lastgroup in ("quoted", "apostrophes"):
        held = _ESCAPED.sub(r"\1", held)
    return held + "\n" * (stated[0][-1] in ">]\"'")


def _may_be_a_value(body: str) -> bool:
    if _STEPS.match(body):
        return False
    line = sentence(body)
    words = line.casefold().split()
    if _VALUE_LIKE.match(line):
        return True
    return 0 < len(words) <= _FEW_WORDS and words[0] not in _BEGINNINGS


class Place(NamedTuple):
    """A place where a reader has found an answer."""

    reader: Reader
    text: str
    cut_off: bool = False
    """Whether the text ended at the token limit, perhaps within a word or an expression."""
    states: bool = False
    """Whether the place holds the answer alone, as in `Answer: no solution`, without other words."""
    labels: Sequence[str] = ()
    """The labels of the question's choices."""


def is_reader(name: str) -> bool:
    """Whether there is a reader called `name`."""
    return re.match(READER_NAME, name) is not None


def is_mark(reader: Reader) -> bool:
    """Whether the reader looks for marks that enclose only the answer, rather than for words."""
    return reader in ("hashes", "boxed") or reader.startswith(TAG)


def sentence(text: str) -> str:
    """The text up to the end of its sentence."""
    match = _SENTENCE.match(text)
    assert match is not None  # it may be empty
    return match[0]


def _said(text: str) -> Iterator[str]:
    """The text after `The answer is`, as in the few-shot prompt, and similar phrases."""
    matches = [*_PHRASE.finditer(text)]
    ends = [match.start() for match in matches[1:]]
    for match, end in zip(matches, [*ends, len(text)], strict=False):
        said = _on_one_line(text[match.end() : end])
        below = "\n" in match[0]
        if not _STEPS.match(said) and (not below or (_may_be_a_value(said) and not _NUMBERED.match(said))):
            yield said


def _last_number(text: str) -> Iterator[str]:
    """The last number, with the signs that join its parts: `1/2` is one number and no integer."""
    return iter(_NUMBER_ALONE.findall(THOUSANDS_SPACE.sub(",", text))[-1:])


_FINDERS: dict[Reader, Callable[[str], Iterator[str]]] = {
    "hashes": between_hashes,
    "boxed": boxed,
    "answer-is": _said,
    "last-number": _last_number,
}
