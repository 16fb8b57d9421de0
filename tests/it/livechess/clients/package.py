"""What the package "livechess" makes of the boards.

package.py HOST PORT: prints them as one line of JSON, with the men as python-chess reads them.
"""

import dataclasses
import json
import sys

import chess
from livechess.local import LiveChessLocal

host, port = sys.argv[1:3]
boards = LiveChessLocal(host, int(port)).eboards()
print(
    json.dumps(
        [
            {
                **dataclasses.asdict(board),
                "men": board.board and len(chess.Board(board.board).piece_map()),
                "times": board.clock and board.clock.terminal_string,
            }
            for board in boards
        ]
    )
)
