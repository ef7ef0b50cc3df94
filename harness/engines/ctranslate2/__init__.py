"""The engine without a server: a model in this process, drawn from by CTranslate2."""
