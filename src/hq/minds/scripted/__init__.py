"""The scripted mind: readable scripts in place of a model. It sees what a model sees and nothing else."""

__all__ = ("choices",)
