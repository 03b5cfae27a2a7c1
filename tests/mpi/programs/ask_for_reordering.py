"""Makes all constructors of topologies in mpi4py's tests ask for reordering: ask_for_reordering.py FOLDER."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

CONSTRUCTORS = {"Create_cart", "Create_graph", "Create_dist_graph", "Create_dist_graph_adjacent"}
# They expect the neighbours of their rank in the communicator before, which is right only without.
RANK_OF_BEFORE = {"testGraphcomm", "testDistgraphcommAdjacent"}


class Ask(ast.NodeTransformer):
    """Adds reorder=True."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if node.name in RANK_OF_BEFORE else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        asked = any(keyword.arg == "reorder" for keyword in node.keywords)
        if isinstance(node.func, ast.Attribute) and node.func.attr in CONSTRUCTORS and not asked:
            node.keywords.append(ast.keyword("reorder", ast.Constant(value=True)))
        return node


for path in Path(sys.argv[1]).glob("test_c*.py"):
    path.write_text(ast.unparse(Ask().visit(ast.parse(path.read_text(encoding="utf-8")))), encoding="utf-8")
