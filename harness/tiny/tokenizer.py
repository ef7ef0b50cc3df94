"""The tiny model's own tokenizer: whole words with the space before them, single digits, ASCII characters.

    "Anna has 12 apples." -> "Anna", " has", " 1", "2", " apples", "."

Decoding joins the pieces, so text made of known characters comes back exactly, token by token as well. A word
that is not in the vocabulary is spelled in ASCII characters; any other character becomes `<|unk|>`.
"""

from typing import TYPE_CHECKING

import prompts
from harness.server.cpu.torchvision_names import declare_torchvision_operations
from harness.tiny.problems import distinct_problems
from harness.tiny.solutions import solutions

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

PAD, UNKNOWN, USER, ASSISTANT, END = "<|pad|>", "<|unk|>", "<|user|>", "<|assistant|>", "<|end|>"
SPECIAL = (PAD, UNKNOWN, USER, ASSISTANT, END)
PIECES = r" ?[A-Za-z]+| ?[0-9]| ?\[END\]| ?##| ?[^\sA-Za-z0-9]|\s"
# Servers split an embedding over devices in blocks of 64 rows.
VOCABULARY_BLOCK = 64
# Far beyond what training saw (a few hundred), so that the paper's long prompts can be put to it as well.
MAX_LENGTH = 4096
# The template in prompts/ that the model is trained on.
PROMPT = "tiny-budget"
# Enough to see every word of every sentence form.
SURVEYED_PROBLEMS = 4000

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'user' %}" + USER + "{{ message['content'] }}"
    "{% elif message['role'] == 'assistant' %}" + ASSISTANT + "{{ message['content'] }}" + END + ""
    "{% else %}{{ raise_exception('roles are user and assistant, not ' ~ message['role']) }}"
    "{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}" + ASSISTANT + "{% endif %}"
)


def build_tokenizer() -> "PreTrainedTokenizerFast":
    """The tokenizer, made from the sentence forms alone: the same on every machine."""
    declare_torchvision_operations()
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    split = pre_tokenizers.Split(Regex(PIECES), behavior="isolated")
    texts = [prompts.fill(PROMPT, problem="", token_limit=10)]
    for problem in distinct_problems("train", seed=0, count=SURVEYED_PROBLEMS):
        texts += [problem.question, *solutions(problem)]
    pieces = {piece for text in texts for piece, _ in split.pre_tokenize_str(text)}
    characters = {chr(code) for code in range(32, 127)} | {"\n", "\t"}
    digits = {space + digit for space in ("", " ") for digit in "0123456789"}
    words = [*SPECIAL, *sorted(characters | digits | pieces)]
    words += [f"<|reserved-{index}|>" for index in range(-len(words) % VOCABULARY_BLOCK)]
    vocabulary = {word: index for index, word in enumerate(words)}

    # BPE without merges: a piece is one token where it is known, else it is spelled.
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token=UNKNOWN, ignore_merges=True))
    tokenizer.pre_tokenizer = split
    tokenizer.decoder = decoders.Fuse()
    tokenizer.add_special_tokens([AddedToken(word, special=True, normalized=False) for word in SPECIAL])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        unk_token=UNKNOWN,
        eos_token=END,
        clean_up_tokenization_spaces=False,
        model_max_length=MAX_LENGTH,
    )
    fast.chat_template = CHAT_TEMPLATE
    return fast
