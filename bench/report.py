# SPDX-License-Identifier: MIT
"""What a section found: a table as text, as JSON, and as a plot."""

import datetime
import json
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Report:
    name: str  # of the files
    title: str  # what the numbers are, in a sentence or two
    head: list  # of columns
    cells: Callable  # cells of a row, as text
    rows: list = field(default_factory=list)  # dicts, as they stand in the JSON file
    draw: Callable = None  # draws the rows on axes of matplotlib
    extra: dict = field(default_factory=dict)  # more for the JSON file

    def add(self, row):
        self.rows.append(row)
        print("  " + "  ".join(str(cell) for cell in self.cells(row)), flush=True)

    def text(self):
        lines = [self.head, *[[str(cell) for cell in self.cells(row)] for row in self.rows]]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.head))]
        table = "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines)
        return f"{self.title}\n\n{table}\n"

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.txt").write_text(self.text())
        document = {"title": self.title, "machine": machine(), **self.extra, "rows": self.rows}
        (folder / f"{self.name}.json").write_text(json.dumps(document, indent=1, default=str))
        if self.draw:
            self.plot(folder / f"{self.name}.png")

    def plot(self, path):
        try:
            import matplotlib
        except ImportError:
            print("no matplotlib: no plot", file=sys.stderr)
            return
        matplotlib.use("Agg")
        from matplotlib import pyplot
        figure, axes = pyplot.subplots(figsize=(8, max(4, 0.35 * len(self.rows) + 1.5)))
        self.draw(axes, self.rows)
        figure.tight_layout()
        figure.savefig(path, dpi=120)
        pyplot.close(figure)


def draw_ratios(label):
    """A plot of bars, one for each row that has a ratio to the best peer."""
    def draw(axes, rows):
        axes.barh([label(row) for row in rows], [row["ratio_to_best_peer"] or 0 for row in rows], color="#4477aa")
        axes.axvline(1, color="black", linewidth=1)
        axes.invert_yaxis()
        axes.set_xlabel("times faster than the best peer (median of interleaved runs)")
    return draw


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def machine():
    model = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text().splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
    return {"time": datetime.datetime.now().isoformat(timespec="seconds"), "processor": model or platform.processor(),
            "processors": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()}
