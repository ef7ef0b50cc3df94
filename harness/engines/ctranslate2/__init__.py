"""The engine without a server: a model in this process, sampled with CTranslate2."""
