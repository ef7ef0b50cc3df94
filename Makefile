# Every job of the project, one target each. `make` alone prints them.

PYTHON ?= python3
VENV   := .venv
RUN    := $(VENV)/bin/python
TTS     = $(RUN) -m tts
PIP    := $(RUN) -m pip install --quiet --disable-pip-version-check

# What a user may set:  make gsm8k-samples MODEL=… BUDGETS=100,200 N=16 LIMIT=50 URL=http://host:30000 OUT=… DP=2
# FLAGS="--tp-size 2 --context-length 32768" are SGLang's own, for a server that is started here. ENGINE=openai: URL= is a
# vLLM, llama.cpp or hosted server; ENGINE=ctranslate2: a small model, in this process.
# On a GPU host DP is the number of GPUs by default; without one, DEVICE=cpu says that a small model may run there.
# Without the hub:  FILE=a local copy of the data set's rows;  with other questions and prompt:
# QUESTIONS=questions.jsonl PROMPT=tiny-budget
key = $(if $(2),--set $(1)="$(2)")
SET = $(call key,model,$(MODEL)) $(call key,budgets,$(BUDGETS)) $(call key,samples,$(N)) \
      $(call key,limit,$(LIMIT)) $(call key,dp,$(or $(DP),$(GPUS))) $(call key,file,$(FILE)) $(call key,device,$(DEVICE)) \
      $(call key,dataset,$(QUESTIONS)) $(call key,prompt,$(PROMPT)) $(call key,engine,$(ENGINE)) \
      $(if $(FLAGS),--set server_flags='$(subst ','\'',$(FLAGS))') $(if $(URL),--url $(URL))
runs = $(or $(OUT),runs/$(1))

.DEFAULT_GOAL := help
.PHONY: help setup test test-fast test-release test-server lint pins demo tiny serve gpu-check gsm8k-samples gsm8k-256 math-samples synthetic train match predict report bench mutants clean

help:  ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-18s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---- installing: each stamp is redone only when what it was made from changes -------------------------------

# Their names say for which kind of machine: a .venv of a login node without a GPU is no use on the GPU node.
GPU         := $(shell :; command -v nvidia-smi)
HOST_CHECK   = $(PYTHON) -m harness.server.host
GPUS         = $(if $(filter host,$(HOST)),$(shell $(HOST_CHECK) --count))
KIND        := $(if $(GPU),gpu,cpu)
CONSTRAINTS := $(if $(GPU),constraints-gpu.txt,constraints.txt)
SETUP       := $(VENV)/.setup-$(KIND)
DEV         := $(VENV)/.dev-$(KIND)
TORCH       := $(VENV)/.torch-$(KIND)
SGLANG      := $(VENV)/.sglang-$(KIND)
INSTALL      = $(PIP) --constraint $(CONSTRAINTS)
# What pip says is never hidden; this line follows it.
OR_SAY       = || { echo 'error: pip could not install, for the reason above. It needs the network (behind a proxy: HTTPS_PROXY, or' \
                         'pip config) and free disk space. The same command goes on from here.' >&2; exit 1; }

$(SETUP): pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import platform, sys; sys.exit(sys.version_info < (3, 11) and "error: Python 3.11 or later, not " + platform.python_version())'
	@echo 'installing into $(VENV), about 1 GB: this takes a minute or two, and pip prints only what goes wrong'
	$(PYTHON) -m venv $(VENV)
	@$(INSTALL) --editable '.[lm,plots]' $(OR_SAY)
	@touch $@

$(DEV): $(SETUP)
	@echo 'installing the tools of tests and lint'
	@$(INSTALL) --editable '.[dev]' $(OR_SAY)
	@touch $@

# On Linux, PyTorch comes with CUDA unless pip finds a CPU build, or one is there already.
$(TORCH): $(SETUP)
	@echo 'installing PyTorch: up to 6 GB, as it brings CUDA on Linux. A CPU build takes 1 GB: stop this, and first run'
	@echo '    $(RUN) -m pip install uv && $(RUN) -m uv pip install --torch-backend cpu -c $(CONSTRAINTS) torch'
	@$(INSTALL) --editable '.[torch]' $(OR_SAY)
	@touch $@

# A GPU host takes SGLang as it comes, once a small part of it, NVIDIA's compiler, is seen to work; without a GPU the
# wheels of harness/server/cpu are enough. They exist for Linux (glibc 2.34 or later) and Python 3.11 to 3.13: the tests
# of a real server skip where there are none.
CPU_WHEELS := $(wildcard harness/server/cpu/requirements*.txt)
ifdef GPU
$(SGLANG): $(SETUP)
	@$(INSTALL) nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl $(OR_SAY)
	$(RUN) -m harness.server.toolkit
	@echo 'installing SGLang: 11 GB, several minutes'
	@$(INSTALL) --editable '.[lm,math,sglang]' $(OR_SAY)
	$(RUN) -m harness.server.gpus
	@touch $@
else
$(SGLANG): $(TORCH) $(CPU_WHEELS)
	@echo 'installing SGLang for a CPU'
	@$(INSTALL) --requirement harness/server/cpu/requirements.txt $(OR_SAY)
	@$(PIP) --no-deps --requirement harness/server/cpu/requirements-no-deps.txt $(OR_SAY)
	@touch $@
endif
SGLANG_RUNS := import platform, sys; sys.exit(sys.version_info >= (3, 14) or platform.system() != "Linux")
.PHONY: server-of-tests
server-of-tests: $(TORCH)
	@if $(RUN) -c '$(SGLANG_RUNS)'; then $(MAKE) --no-print-directory $(SGLANG); \
	else echo 'SGLang has no wheels for this Python or system: the tests of a real server skip'; fi

# What starts a server needs SGLang and a GPU, or DEVICE=cpu; with URL= there is one. Nothing is installed before that is clear.
# The host is looked at first, every time; the targets of one line are made in turn, with -j too.
HOST   := $(if $(GPU),$(if $(URL)$(filter ctranslate2,$(ENGINE))$(filter cpu,$(DEVICE)),,host))
SERVER := $(if $(URL)$(filter ctranslate2,$(ENGINE)),,$(if $(filter openai,$(ENGINE)),no-url,\
            $(if $(GPU)$(DEVICE),$(HOST) $(SGLANG),no-gpu)))
.NOTPARALLEL:
.PHONY: host no-gpu no-url
host:
	@$(HOST_CHECK) --venv $(VENV) $(if $(EXPERIMENT),--experiment $(EXPERIMENT)) $(if $(MODEL),--model "$(MODEL)") \
	    $(if $(DP),--copies $(DP))
no-gpu:
	@echo 'error: no GPU here (no nvidia-smi): URL= names a server elsewhere, DEVICE=cpu is for a small model' >&2; exit 2
no-url:
	@echo 'error: ENGINE=openai is for a server that runs already: URL= names it' >&2; exit 2

setup: $(SETUP)  ## build .venv with what the demo needs (other targets add PyTorch, SGLang or the tools)

# ---- looking after the code ----------------------------------------------------------------------------------

# A process for each processor and one more, as many tests wait for servers; the tests of one file, and all tests that share
# a server, stay together. One thread in each.
PROCESSES := $(shell expr $$(getconf _NPROCESSORS_ONLN || echo 2) + 1)
PYTEST = OMP_NUM_THREADS=1 $(RUN) -m pytest -n $(PROCESSES) --dist loadgroup --no-loadscope-reorder

test: $(DEV) $(TORCH)  ## the tests of the code, with a real browser
	$(PYTEST) -m "not release and not server"
	@echo 'Left out: make test-release rebuilds pages and tables and installs the project elsewhere; make test-server starts SGLang'

test-fast: $(DEV)  ## those of them that start no browser and run no long simulation
	$(PYTEST) -m "not integration and not release and not server"
	@echo 'Left out: make test starts a browser and other processes, and simulates for longer'

test-release: $(DEV) $(TORCH)  ## what CI adds: pages and tables rebuilt, other processors, the project installed elsewhere
	$(PYTEST) -m release

test-server: $(DEV) server-of-tests  ## by hand, where servers or engines change: real SGLang servers, a GPU host played
	$(PYTEST) -m server

lint: $(DEV) $(TORCH)  ## ruff (lint and format) and mypy
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

pins: $(DEV)  ## rewrite the constraints: the newest versions that pyproject.toml allows, for all platforms and Pythons
	$(COMPILE) --extra dev --extra torch -c harness/server/cpu/requirements-no-deps.txt -o constraints.txt pyproject.toml
	$(COMPILE) --extra dev --extra torch --extra sglang -o constraints-gpu.txt pyproject.toml
	$(COMPILE) -c constraints.txt -o harness/server/cpu/requirements.txt harness/server/cpu/requirements.in
COMPILE = $(RUN) -m uv pip compile --quiet --upgrade --universal --python-version 3.11.2 --no-annotate \
          --custom-compile-command 'make pins'

bench: $(DEV) $(SGLANG)  ## measure the hot paths
	for part in studies/benchmarks/bench_*.py; do $(RUN) -m studies.benchmarks.$$(basename $$part .py) || exit 1; done

mutants: $(DEV) $(TORCH)  ## which small mistakes the tests notice: 12 in each of six packages (SEED=), the better part of an hour
	@$(INSTALL) cosmic-ray==8.7.0 $(OR_SAY)
	$(RUN) -m studies.mutants.run --seed $(or $(SEED),1)

# ---- the jobs ------------------------------------------------------------------------------------------------

demo: DIR = $(call runs,demo)
demo: LIMIT := $(or $(LIMIT),100)
demo: setup  ## everything small, on a CPU, in a few minutes: sample the tiny model, vote, forecast, twin, report
	$(TTS) sample tiny $(SET) --out $(DIR)/samples
	$(TTS) curves $(DIR)/samples --out $(DIR)/tiny.csv
	$(TTS) twin run fig1-binary --out $(DIR)
	$(TTS) twin run fig2f --out $(DIR)
	$(TTS) forecast $(DIR)/samples --fit-max-n 8 --predictor all --out $(DIR)/forecast.csv
	$(TTS) report $(DIR)/tiny.csv $(DIR)/fig1-binary.csv $(DIR)/fig2f.csv $(DIR)/forecast.csv --out $(DIR)/report

tiny: $(TORCH)  ## train the tiny model again (10 minutes; one thread, so that the seed repeats it exactly)
	$(RUN) -m studies.tiny.run

serve: $(HOST) $(SGLANG)  ## start SGLang for MODEL= (default: the tiny model) and leave it running
	exec $(TTS) serve $(or $(MODEL),harness/tiny/model) $(if $(DP),--dp $(DP)) $(if $(WORKERS),--workers $(WORKERS)) $(if $(FLAGS),-- $(FLAGS))

gpu-check: $(SERVER) $(SETUP)  ## GPU host: tokens/s, prefix cache and the client's share, random weights of Llama-3.1-8B's shape
	exec $(TTS) gpu-check $(if $(DP),--dp $(DP)) $(if $(FLAGS),-- $(FLAGS))

gsm8k-samples: EXPERIMENT = gsm8k-budgets
gsm8k-samples: run-experiment  ## GSM8K, Llama-3.1-8B-Instruct, 64 answers at each of eight token budgets (GPU host)

gsm8k-256: EXPERIMENT = gsm8k-256
gsm8k-256: run-experiment  ## GSM8K, Llama-3.1-8B, 8-shot, 256 answers and a greedy one (GPU host)

math-samples: EXPERIMENT = math-budgets
math-samples: run-experiment  ## MATH level 1, 309 integer problems, 64 answers at each budget (GPU host)

.PHONY: run-experiment
run-experiment: DIR = $(call runs,$(EXPERIMENT))
run-experiment: $(SERVER) $(SETUP)  # the shell gives way to the run, so that a SIGTERM to make reaches it
	exec $(TTS) sample $(EXPERIMENT) $(SET) --out $(DIR) --curves $(DIR)/curves.csv

synthetic: DIR = $(call runs,synthetic)
synthetic: setup  ## the twin: every panel of the paper drawn from exact solutions, and the paper's claims checked
	$(TTS) twin run all --jobs 2 --out $(DIR)
	$(RUN) -m studies.twin.panels $(DIR)/fig*.csv --out $(DIR)
	$(TTS) twin claims --out $(DIR)/claims.csv
	$(TTS) report $(DIR)/fig*.csv $(DIR)/claims.csv --out $(DIR)/report

train: $(TORCH)  ## transformers trained to do what the paper builds by hand (five minutes of processor time)
	$(RUN) -m studies.trained.run --jobs 2 --out $(call runs,trained)

match: DIR = $(call runs,match)
match: setup  ## does the twin explain a language model? The small model's curves, or TABLES="curves.csv …"
	$(RUN) -m studies.match.run $(or $(TABLES),results/cached/tiny.csv) --jobs 2 --out $(DIR)/match.csv --figure $(DIR)/match.png

CACHED = results/cached
EVIDENCE = $(addprefix $(CACHED)/,qwen-gsm8k.parquet qwen-math.parquet int8-gsm8k-forced.csv tiny.csv \
    otis-mock-aime.csv fig1-binary.csv fig2f.csv fig2h.csv)
OWN = $(or $(TABLES),$(wildcard runs results/runs))
predict: DIR = $(call runs,predict)
predict: setup  ## Figure 3 of your runs (all in runs/, or TABLES="run curves.csv …"), then of the tables in results/cached
	$(TTS) forecast $(if $(OWN),$(OWN) $(addprefix --then ,$(EVIDENCE)),$(EVIDENCE)) \
	    --predictor default,low-cost-to-high --bootstrap 200 --out $(DIR)/forecast.csv --plot $(DIR)/forecast.html
	$(TTS) forecast $(CACHED)/fig2h.csv --fit-settings 1,2,3,4,6,8 --fit-max-n 16 --predictor default,low-cost-to-high \
	    --bootstrap 200 --out $(DIR)/longer-and-more.csv --plot $(DIR)/longer-and-more.html

report: setup  ## the page of the tables in results/cached, or of TABLES="curves.csv forecast.csv …"
	$(TTS) report $(TABLES) --out $(call runs,report)

clean:  ## remove the virtual environment and caches (never your runs)
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
