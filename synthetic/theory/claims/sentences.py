"""The sentence of the paper that each of its claims is about; "…" stands for a formula that is left out."""

_LIKE_REAL_MODELS = "exhibiting trends similar to real-world LLMs' inference"
_CONJECTURE = "is fixed, then … can be approximated by"

SENTENCES = {
    "ensemble-linear-noise-beats-descent": "linear NFT reduces test loss given sufficient sample size",
    "best-of-n-is-an-upper-bound": "gives an upper bound for other test-time computing method",
    "enough-paths-reach-the-limit": "the leading term of the excess risk would be the first two terms",
    "descent-overfits-and-linear-ensemble-does-not": (
        "vanilla GD method has the disadvantage of harmful overfitting to the label noise"
    ),
    "descent-risk-within-its-bound": (
        "The following result gives the excess risk bound for transformers implementing vanilla multi-step "
        "gradient descent"
    ),
    "ensemble-risk-within-its-bound": "reveals how the prediction accuracy evolves as the reasoning length",
    "vote-and-greedy-perfect-with-many-examples": (
        "with sufficient examples, both greedy decoding and majority voting achieve perfect accuracy"
    ),
    "greedy-stays-near-2/d-with-one-example": "greedy search maintains approximately … accuracy",
    "vote-tends-to-one-with-one-example": (
        "with sufficiently large reasoning length …, majority voting achieves high accuracy"
    ),
    "vote-beats-greedy-with-few-examples": (
        "majority vote is more accurate and robust with limited in-context data"
    ),
    "the-vote-gains-with-length": _LIKE_REAL_MODELS,
    "greedy-gets-stuck-in-cycles": "greedy decoding frequently gets stuck in cyclic state transitions",
    "recovery-exponential-in-examples": (
        "The recovery probability improves exponentially with the number of in-context examples"
    ),
    "gap-tends-to-one-without-label-noise": "ensuring that … converges to 1",
    "staying-is-likelier-than-arriving": "we remark that … for sufficiently many in-context examples",
    "a-longer-path-is-more-often-right": "we can directly express the overall accuracy as",
    "accuracy-exponential-in-votes": "We fit the relationship between accuracy … and sample number",
    "gap-exponential-in-length": "we can observe that … changes with the number of reasoning steps",
    "vote-above-its-exponential-bound": (
        "majority vote recovers the truth with a probability converging to … exponentially fast"
    ),
    "gap-above-its-lower-bound": (
        "establishes lower bounds on the recovery probability for both greedy decoding and majority vote"
    ),
    "low-cost-runs-predict-longer-ones": (
        "our algorithm successfully predicts model performance at high computational costs"
    ),
    "accuracy-and-gap-share-one-rate": "shares the same …",
    "the-gap-is-read-off-votes": _CONJECTURE,
    "exponential-in-the-gap-squared": _CONJECTURE,
    "rate-in-the-gap-squared-is-half-of-N": _CONJECTURE,
    "exponential-in-accuracy-squared": "we first approximate … then fit curve with",
    "a-real-model-gains-with-length": _LIKE_REAL_MODELS,
    "a-real-model-gains-with-answers": _LIKE_REAL_MODELS,
}
"""By the names of the claims; claims of our own have none."""
