"""What commands make of the crossed world (`world.py`): all that they say, ask and write, as approved texts.

They are no proof that a number is right, as tests with an independent reference are: they notice a change.

A scene is some commands in one folder. Its text in `kept/` has what they print, what a server of the tests
was asked, and what they write: short tables in full, of longer ones some rows, and of each column its sum and
its sum by place. Every option is tested alone elsewhere; here they meet. Where a change is meant, look at it,
and keep the new texts:

    python -m tests.unmoved.scenes [NAME …]
"""

import json
import re
import shlex
import sys
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, chdir
from functools import cache
from itertools import chain
from pathlib import Path
from shutil import copytree
from typing import Any
from unittest.mock import patch

import pandas as pd
from click.testing import CliRunner

import tts
from harness.imports.formats import FORMATS
from tests.conftest import ROOT
from tests.harness.engines.servers import TINY
from tests.harness.imports.test_formats import EXAMPLES, OPTIONS
from tests.unmoved import corners
from tests.unmoved.server import Server
from tests.unmoved.world import write_world

KEPT = Path(__file__).parent / "kept"
EVERY = "majority,best_of_n,all_of_n,best_by_score,weighted_majority"
PRICES = "--price small=0.5:0.1:2 --price large=0.7:0.2:3 --price org/thinker=1:0.3:4"
THREE = "small.csv large.parquet thinker"
ASKED = "sample asked.toml --url URL --set seed=5 --set logprobs=true"
MATH, GSM8K = "cached/qwen-math.parquet", "cached/qwen-gsm8k.parquet"
SCENES = {
    "curves-scores": f"""
        curves {THREE} --method {EVERY} --score rm --weights softmax --permutations 1 --seed 3 --out c.csv
        curves again.jsonl --n 1,3 --method majority,weighted_majority --cluster topic --out b.jsonl
    """,
    "curves-caps": """
        curves small.csv thinker --caps 50,87,300 --method majority,best_by_score --score logprob \
            --n 1,2,5 --permutations 2 --cluster topic --out caps.csv
        curves long.csv --caps 500 --method weighted_majority --score rm --weights sigmoid --out one.csv
    """,
    "curves-bare": """
        curves bare.csv --unreadable None --permutations 3 --out bare.tex
        curves bare.csv --as-written --permutations 1 --out written.csv
        curves bare.csv again.jsonl --unreadable None --n 1,2 --permutations 0 --out either.csv
        curves credit.csv --out mean.csv --plot mean.svg --bare
        curves verdicts.csv --n 1,2,4 --out right.csv
        compare verdicts.csv --at 2
        forecast verdicts.csv --bootstrap 0 --out ahead.csv
        precision verdicts.csv --questions 20 --answers 4
    """,
    "curves-with": """
        curves few.csv --with large.parquet --permutations 0 --n 1,3,5 --out with.csv
        curves few.csv --with small.csv --permutations 0 --n 1,4 --method majority,best_of_n,all_of_n \
            --out small_.csv
    """,
    "compare-prices": f"""
        compare {THREE} {PRICES} --out priced.csv
        compare costs.csv --at 1,3,6 --method majority,best_of_n,all_of_n --level 0.9 --out costs-.csv
        compare again.jsonl costs.csv --model small --at 2 --out one_side.csv
    """,
    "compare-runs": """
        compare small.csv again.jsonl --at 2,5 --cluster topic --out again.csv --plot again.pdf
        compare thinker --out settings.csv
        compare small.csv large.parquet --model small --model large --as-written --out two.tex
    """,
    "compare-scores": """
        compare small.csv --score score --score-cost 30 --at 3,6 --out score.csv
        compare large.parquet --score rm --weights sigmoid --out rm.csv
        compare costs.csv --score score --method majority,best_by_score --out both.csv
        compare costs.csv --score rm --weights sigmoid --score-cost 0 --at 3 --out judged.csv
        compare few.csv --score rm --method best_by_score --price org/thinker=1:3 --out priced.csv
    """,
    "compare-gates": """
        compare small.csv few.csv --at 4 --gate --margin 8
        compare costs.csv --at 3 --gate --level 0.8
        compare costs.csv --every-question --margin 20
        compare few.csv --every-question --margin 30 --gate
        compare costs.csv --at 3 --sequential
        compare costs.csv --at 3 --sequential --method weighted_majority --score rm --weights sigmoid
        compare costs.csv --at 3 --sequential --planned 90 --looks 4 --gate --margin 4
    """,
    "stop": f"""
        stop {THREE} --n-max 6 --orders 3 --seed 2 --out stop.csv
        stop costs.csv few.csv --rule lead:2 --rule asc-beta --n-max 5 --orders 4 --cluster topic \
            --out two.csv --plot two.svg
    """,
    "forecast": """
        forecast small.csv --predictor all --fit-max-n 4 --at-n 8,32 --bootstrap 20 --seed 2 \
            --out n.csv --plot n.png
        forecast large.parquet --fit-settings 60,200 --at-settings free,300,long=700 --at-n 1,6 --level 0.8 \
            --bootstrap 20 --cluster topic --target population --method best_of_n --out settings.csv
    """,
    "forecast-caps": """
        forecast long.csv --fit-cap 600 --at-caps 800,1200 --at-n 1,4,400 --bootstrap 20 --out caps.csv \
            --predictor default,flat
        backtest long.csv --fit-cap 600 --at-caps 900 --at-n 4 --bootstrap 20 --splits 1 --out back.csv
        plan long.csv --fit-cap 600 --at-caps 900 --max-n 4 --bootstrap 20 --out plan.csv
    """,
    "forecast-curves": """
        curves small.csv large.parquet --permutations 0 --method majority,best_of_n,all_of_n \
            --out curves.csv
        forecast curves.csv --then few.csv --predictor all --bootstrap 20 --at-settings long=600 \
            --out new.csv
        forecast curves.csv --fit-max-tokens 300 --method all_of_n --bootstrap 0 --out some.csv
        fits curves.csv --method best_of_n --out fits.csv
        fits thinker --out own.csv
    """,
    "forecast-sums": """
        forecast sums.csv --predictor all --fit-max-n 4 --at-n 8,16 --bootstrap 20 --out ahead.csv
        backtest sums.csv --fit-settings 60,200 --bootstrap 20 --predictor question-law,flat --out back.csv
        fits sums.csv --out fits.csv
        plan sums.csv
    """,
    "backtest": """
        backtest small.csv --fit-max-n 4 --at-n 8 --splits 2 --bootstrap 30 --seed 4 \
            --predictor default,flat --out n.csv
        backtest large.parquet --fit-settings 60,200 --at-settings free --splits 2 --bootstrap 20 \
            --method best_of_n --cluster topic --out settings.csv
        backtest small.csv --fit-max-n 3 --method all_of_n --bootstrap 20 --splits 1 --level 0.8 --out all.csv
    """,
    "plan": f"""
        plan small.csv few.csv {PRICES.replace("--price large=0.7:0.2:3", "")} --max-n 16 \
            --bootstrap 20 --at-settings long=700 --out priced.csv --plot priced.pdf
        plan costs.csv --target-accuracy 0.6 --max-n 12 --bootstrap 20 --level 0.8 --seed 2 --out target.csv
        plan small.csv --token-budget 900 --method best_of_n --bootstrap 20 --at-settings long=700 \
            --predictor power-law --out budget.csv
    """,
    "plan-scores": """
        plan small.csv large.parquet --score rm --token-budget 1500 --level 0.8 --out rm.csv
        plan costs.csv --score score --score-cost 40 --target-accuracy 0.6 --cluster topic --out score.csv
        report rm.csv score.csv --out page
    """,
    "precision": """
        precision few.csv --questions 50,200 --answers 2,8 --out one.csv
        precision few.csv --with large.parquet --answers 4 --level 0.8
        precision costs.csv few.csv --compare --questions 60 --answers 1,6,12 --seed 3 --out two.csv
    """,
    "report": f"""
        {ASKED} --set samples=2 --set greedy=true --out asked
        compare small.csv large.parquet --at 4 {PRICES.rpartition(" --price")[0]} --out compared.csv
        forecast few.csv --fit-max-n 3 --bootstrap 30 --predictor default,flat --out ahead.csv
        plan few.csv --max-n 8 --bootstrap 30 --out plan.csv
        stop few.csv --n-max 5 --orders 2 --out stop.csv
        fits few.csv --out fits.csv
        backtest few.csv --fit-max-n 3 --splits 2 --bootstrap 20 --predictor default,flat --out back.csv
        report costs.csv few.csv asked compared.csv ahead.csv plan.csv stop.csv fits.csv back.csv \
            --price small=1:2 --price large=2:3 --price org/thinker=3:4 --note "A <b>note</b>." --out page
    """,
    "uneven": """
        inspect uneven.csv --unreadable --limit 2
        curves uneven.csv --n 1,3,6,8 --permutations 1 --out curves.csv
        compare uneven.csv --at 1,4 --price small=1:2 --price large=1:3 --out compared.csv
        stop uneven.csv --n-max 3 --orders 2 --rule lead:2 --out stop.csv
        plan uneven.csv --max-n 8 --bootstrap 20 --method best_of_n --out plan.csv
        precision uneven.csv --compare --questions 60 --answers 1,4
        forecast curves.csv --at-settings long=700 --at-n 1,4 --fit-max-n 3 --bootstrap 20 --out ahead.csv
        report uneven.csv stop.csv ahead.csv --note late --out page
    """,
    "edges": """
        curves edges.csv --method majority --permutations 0 --out curves.csv
        curves edges.csv --n 1 --permutations 0 --out single.csv --plot single.pdf --width 3in
        compare edges.csv --model right --model half --at 2 --out two.csv --plot two.svg
        compare lone.csv --at 3 --gate --margin 5
        compare lone.csv --at 3 --sequential
        compare few.csv --every-question --margin 98
        compare few.csv --model org/thinker
        stop edges.csv --rule lead:2 --orders 2 --out stop.csv --plot stop.svg
        plan edges.csv --max-n 2 --bootstrap 20 --out plan.csv --plot plan.svg
        plan curves.csv --max-n 2 --bootstrap 20
        forecast edges.csv --fit-max-n 2 --at-n 3,6 --bootstrap 20 --level 0.5 --out ahead.csv
        plan few.csv --at-settings 200
        curves lone.csv --permutations 0 --out one.csv
        plan one.csv --max-n 4 --bootstrap 20
        precision lone.csv
        backtest curves.csv --splits 2 --fit-max-n 2 --out back.csv
        report ahead.csv --out page
        compare small.csv --at 1 --level 0.8 --out wide.csv
        report two.csv wide.csv --out none
    """,
    "corners": "",
    "page": """
        page costs.csv --price small=1:2 --price large=1:3 --target-accuracy 0.6 --cluster topic --out priced
    """,
    "sample": f"""
        {ASKED} --dry-run --rate 900 --price-per-hour 2 --out run
        {ASKED} --set samples=2 --curves curves.csv --out run
        {ASKED} --set greedy=true --dry-run --out run
        {ASKED} --set greedy=true --limit 4 --out run
        inspect run --wrong --limit 2
        regrade run --reader boxed,answer-is,last-number --match last
        inspect run
        curves run --caps 9 --permutations 0 --out caps.csv
    """,
    "sample-more": f"""
        {ASKED} --set samples=6 --set stop_rule=lead:2 --set order=random --limit 4 --out stopped
        {ASKED} --set samples=6 --set stop_rule=lead:2 --set order=random --limit 4 --dry-run --out stopped
        {ASKED} --set tokenizer={TINY} --set budget_by=force --set tokens_per_budget=1 --dry-run --out new
        {ASKED} --set samples=2 --set prompt=tiny-budget --set limit=4 --set shard=2/2 --out shard
        {ASKED} --set samples=2 --set prompt=tiny-budget --set limit=3 --set shard=1/2 --limit 4 --out first
        inspect first shard
        {ASKED} --set samples=2 --set prompt=boxed --set tokenizer={TINY} \
            --set budget_by=thinking --set budgets=0,90 --set tokens_extra=230 --out thinking
        inspect stopped thinking --cut-off --full --limit 1
        sample multiple-choice --set file=choices.jsonl --url URL --set engine=openai --set model=org/chat \
            --set concurrency=1 --set samples=2 --out choices
        inspect choices --question choices-0001
        curves shard --permutations 0 --out shard.csv
        report shard thinking --out page
    """,
    "force": """
        sample tiny --url URL --set concurrency=1 --set samples=2 --set budgets=20,40 --limit 3 --out run
        force run --setting 40 --at 2,4,5 --url URL --limit 2 --out forced
        inspect forced
    """,
    "judge": f"""
        {ASKED} --set samples=4 --set greedy=true --out run
        judge run --model org/judge --engine openai --url URL --set concurrency=1
        judge run --name own --engine openai --model org/judge --url URL --set concurrency=1
        curves run --score judge --method majority,best_by_score,weighted_majority --permutations 0 \
            --out c.csv
        compare run --score judge --at 3
        export run --organization Lab --out data
    """,
    "import": """
        import csv bare.csv --model bare --setting 60 --unreadable None --out bare
        import csv small.csv --map answer=finish_reason --map score=tokens --gold gold \
            --drop setting=free --drop decoding=greedy --drop dataset=words \
            --correct-if "score_rm>=1" --correct-if topic="topic 0" --dataset sums --out small
        import parquet large.parquet --map setting=topic --map score_x=logprob --drop setting=60 \
            --drop setting=free --out large
        import jsonl again.jsonl --drop setting=60 --drop answer= --map cluster=topic --model again \
            --out again
        import csv fractions.csv --out fractions
        import csv uneven.csv --out uneven
        inspect small large/samples.jsonl --unreadable --limit 1
        questions asked.csv --out asked-.csv
        questions multiple-choice --file choices.jsonl --out choices.csv
    """,
    "import-formats": "\n".join(
        " ".join(["import", kind, str(EXAMPLES / kind), *OPTIONS.get(kind, []), "--out", f"of-{kind}"])
        for kind in FORMATS
    ),
    "cached-forecast": f"""
        forecast {MATH} --fit-max-n 4 --at-n 8,16,64 --predictor all --bootstrap 200 --out votes.csv
        forecast {MATH} --fit-max-n 4 --method best_of_n --predictor all --bootstrap 200 --out best.csv
        forecast {GSM8K} --fit-settings 20,100 --target population --bootstrap 200 --out population.csv
        forecast cached/tiny.csv --at-settings 100,long=300 --at-n 1,16 --predictor all --bootstrap 200 \
            --out curves.csv
    """,
    "cached-ahead": f"""
        backtest {MATH} --fit-max-n 4 --at-n 8,16 --splits 2 --bootstrap 100 --out backtest.csv
        plan {MATH} --target-accuracy 0.999 --max-n 32 --bootstrap 200 --out plan.csv
        plan cached/tiny.csv --token-budget 200 --bootstrap 200 --out budget.csv
        precision {MATH} --questions 200,1000 --answers 4,16 --out precision.csv
        fits cached/tiny.csv --out fits.csv
    """,
    "cached-votes": f"""
        curves {MATH} --permutations 3 --n 1,2,4,16 --caps 100,300 --out curves.csv
        stop {GSM8K} --n-max 16 --orders 5 --out stop.csv
        inspect {MATH} --wrong --limit 2
        sample tiny --set limit=20 --dry-run --rate 1000 --price-per-hour 2 --out new
        report cached/qwen-math.csv cached/fig2f.csv --out page
    """,
    "cached-twin": "\n".join(
        f"twin run {name} --tasks 3 --repeats 2 --out {name}"
        for name in ("fig1-binary", "fig2a", "fig2e", "fig2f", "fig2h")
    ),
    "twin": """
        twin list
        twin run fig2f --set d=5,20 --set n=30 --tasks 2 --repeats 2 --steps 10,40 --n 1,4 --seed 3 \
            --out exact
        twin run fig1-binary --solver monte-carlo --paths 20 --tasks 2 --repeats 2 --steps 5,20 --n 1,3 \
            --out drawn
        twin run fig2a --set sigma_eps=0.4,1 --set step_rule=eta/n --tasks 2 --repeats 2 --out ensemble
        twin run fig2a --solver monte-carlo --paths 8 --tasks 1 --repeats 1 --out sampled
        twin claims fig2h --set sigma_eps=1 --tasks 2 --out claims.csv
        twin claims fig1-continuous --tasks 1 --steps 50,100 --n 1,16 --out risks.csv
        forecast exact/fig2f.csv --bootstrap 20 --out forecast.csv
    """,
}
AS_IT_SHIPS = "cached-"
"""Scenes of the data that ship, with all completions of a question that a forecast imagines: of a release."""
FEW_ROWS, SHOWN = 24, 12
BAR = re.compile(r"^[^|]*%\|[^\]]*\]")
"""Of progress, which a slow machine shows; a warning may follow on its line."""
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d{5,}(?:e[-+]?\d+)?|\d\.?\d*e[-+]\d+")
MASKS = (
    (r"\b[0-9a-f]{40}\b", "COMMIT"),
    (r"\d+ [A-Z][a-z]+ 20\d\d(?:, \d\d:\d\d UTC)?", "TIME"),
    (r"20\d\d-?\d\d-?\d\dT?-?\d\d:?\d\d:?\d\d[^\s\",]*", "TIME"),
    (r'("(?:git_commit|version|seconds|tokens_per_second|numpy|pandas)": )[^,\n}]*', r"\1MASKED"),
    (r"http://127\.0\.0\.1:\d+", "URL"),
    (r"\b1[789]\d{8}\.\d+", "TIME"),
    (r", [\d.]+ s (?=-> )", ", SECONDS "),
    (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|(?<=evaluation_id: )40 .*", "DIGEST"),
    (r"(?m)^time: (?!.* 900 ).*$", "time: MASKED"),
)


@cache
def world() -> Path:
    folder = Path(tempfile.mkdtemp())
    write_world(folder)
    return folder


def commands(scene: str) -> Iterator[str]:
    yield from (" ".join(line.split()) for line in SCENES[scene].strip().splitlines())


def text_of(scene: str, folder: Path) -> str:
    """What the commands of a scene print, ask and write, in `folder`; what is told of tables with corners."""
    if scene == "corners":
        return steady("\n".join(corners.told())) + "\n"
    copytree(world(), folder, dirs_exist_ok=True)
    copytree(ROOT / "results/cached", folder / "cached")
    before, parts, specs = {*folder.rglob("*")}, list[str](), list[Any]()
    with Server() as server, ExitStack() as stack:
        stack.enter_context(chdir(folder))
        for module in (
            ()
            if scene.startswith(AS_IT_SHIPS)
            else ("predict.answers.mixture", "predict.planning.imagined_runs")
        ):
            stack.enter_context(patch(f"{module}.IMAGINED", 2**11))
        for name, value in (("FIRST_PAUSE", 0.001), ("POLL_SECONDS", 0.01), ("LONGEST_PAUSE", 0.002)):
            stack.enter_context(patch(f"harness.http.connection.{name}", value))
        undrawn = {"new": lambda spec, kinds=(), _=None: specs.append(spec) or dict.fromkeys(kinds, b"")}
        for module in ("pictures", "report.page"):
            stack.enter_context(patch(f"results.{module}.rendered", **undrawn))
        stack.enter_context(patch("harness.store.record._git_commit", lambda: 40 * "0"))  # a copy has none
        for line in commands(scene):
            parts.append(f"$ {line}\n{printed(line.replace('URL', server.url))}")
        asked = [json.dumps(body, ensure_ascii=False) for body in server.requests]
    if asked:
        parts.append("\n".join(["== asked", *(shortened(body) for body in asked)]))
    if specs:
        parts.append("\n".join(["== figures", *chain.from_iterable(map(figure, specs))]))
    for path in sorted({*folder.rglob("*")} - before):
        if path.is_file() and path.name != ".lock":
            parts.append(f"== {path.relative_to(folder).as_posix()}\n{written(path)}")
    text = "\n".join(parts).replace(str(folder), "FOLDER").replace(str(EXAMPLES), "FORMATS")
    return steady(text.replace(str(TINY), "TINY")) + "\n"


def steady(text: str) -> str:
    """Without what another machine or another day makes of it."""
    for pattern, mask in MASKS:
        text = re.sub(pattern, mask, text)
    return NUMBER.sub(rounded, text)


def printed(line: str) -> str:
    """The exit status, if it is not 0, and what is printed, stderr after stdout."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        done = CliRunner(env={"COLUMNS": "200"}).invoke(tts.cli, shlex.split(line))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    told = [f"warning: {each.message}" for each in caught if each.category is UserWarning]
    status = [f"exit status {done.exit_code}"] if done.exit_code else []
    lines = [*status, *done.stdout.splitlines(), *done.stderr.splitlines(), *told]
    unbarred = (BAR.sub("", each).rstrip() for each in lines)
    return "\n".join(filter(None, unbarred))


def rounded(number: re.Match[str]) -> str:
    """To six digits; what is nothing but noise is 0."""
    value = float(number[0])
    return f"{value:.6g}" if abs(value) > 1e-9 else "0"


def shortened(line: str, width: int = 300) -> str:
    """A line, its middle as a checksum."""
    line = steady(line)
    if len(line) <= width:
        return line
    return f"{line[: width // 2]} … {zlib.crc32(line.encode())} … {line[-width // 2 :]}"


def written(path: Path) -> str:
    """A file that a command has written, as text."""
    match path.suffix:
        case ".csv":
            return digest(pd.read_csv(path, dtype=str, keep_default_na=False))
        case ".jsonl" if path.stat().st_size:
            return digest(pd.DataFrame(map(json.loads, path.read_text(encoding="utf-8").splitlines())))
        case ".parquet":
            return digest(pd.read_parquet(path))
        case ".html":
            return "\n".join(page_text(path.read_text(encoding="utf-8")))
        case ".json" | ".txt" | ".md" | ".tex":
            return "\n".join(map(shortened, path.read_text(encoding="utf-8").splitlines()))
    return ""


def page_text(page: str) -> Iterator[str]:
    """What a page says, a line for each of its elements, and what it knows of each question."""
    bare = re.sub(r"(?s)<(script|style|svg)\b.*?</\1>", "", page)
    lines = filter(str.strip, re.sub(r"<(?!/?[bi]>)[^>]*>", "\n", bare).splitlines())
    yield re.sub(r"\n(?=\S{1,12}(?:\n|$))", " | ", "\n".join(map(str.strip, lines)))
    for found in re.findall('id="question-data">(.*?)</script>', page):
        for model in json.loads(found):
            yield f"-- {model['name']}, {model['total']}"
            yield from (shortened(json.dumps(one, ensure_ascii=False), 160) for one in model["questions"])


def digest(table: pd.DataFrame) -> str:
    """A short table; of a longer one, some rows, and of each column its sum and its sum by place."""
    cells = table.map(lambda cell: "" if cell is None or cell != cell else str(cell))
    if len(table) <= FEW_ROWS:
        return "\n".join(",".join(row) for row in [list(cells), *cells.to_numpy().tolist()])
    lines = [f"{len(table)} rows"]
    for name in cells:
        numbers = pd.to_numeric(cells[name], errors="coerce")
        if numbers.notna().any():
            place = pd.Series(range(1, len(numbers) + 1), index=numbers.index) / len(numbers)
            sums = f"{numbers.sum():.6g} {(place * numbers).sum():.6g}"
            lines.append(f"{name}: {numbers.notna().sum()} numbers, {sums}")
        texts = cells[name][numbers.isna() & (cells[name] != "")]
        if len(texts):
            check = zlib.crc32("|".join(texts).encode())
            lines.append(f"{name}: {len(texts)} texts, {texts.nunique()}, {check}")
    return "\n".join([*lines, digest(table.iloc[:: -(-len(table) // SHOWN)])])


def figure(spec: dict[str, Any]) -> Iterator[str]:
    """A figure: the digests of its data, and the rest of it as a checksum."""
    if "datasets" in spec:
        for name, rows in spec["datasets"].items():
            yield f"-- {name}\n{digest(pd.DataFrame(rows))}"
        rest = json.dumps(spec | {"datasets": {}}, ensure_ascii=False)
        yield shortened(rest)


if __name__ == "__main__":
    for name in sys.argv[1:] or SCENES:
        with tempfile.TemporaryDirectory() as at:
            (KEPT / f"{name}.txt").write_text(text_of(name, Path(at).resolve()), encoding="utf-8")
