# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks for sequences: recurrent ones and transformers."""
from typing import Optional

import torch
from torch import Tensor, nn

from hooks import Model
from models_vision import picture, seeded


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        y, state = self.rnn(x)
        return self.head(y[:, -1]), state


class Encoder(nn.Module):
    """Tokens in; nn.TransformerEncoder, whose layers have a fused fast path."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(8, 4)

    def forward(self, tokens, padding: Optional[Tensor] = None):
        return self.head(self.encoder(self.embed(tokens), src_key_padding_mask=padding))


class Packed(nn.Module):
    """A GRU over sequences of unequal lengths: forward_packed, whose output is a named tuple."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 3, bidirectional=True)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        y, state = self.rnn(packed)
        return nn.utils.rnn.pad_packed_sequence(y)[0], state


class Cells(nn.Module):
    """Recurrent cells stepped in a loop."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(3, 4), nn.GRUCell(4, 4)

    def forward(self, x):
        h, c, g = torch.zeros(2, 4), torch.zeros(2, 4), torch.zeros(2, 4)
        for t in range(x.size(0)):
            h, c = self.lstm(x[t], (h, c))
            g = self.gru(h, g)
        return g


class Seq2Seq(nn.Module):
    """nn.Transformer: encoder and decoder, causal masks."""

    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 1, 1, 12, batch_first=True)

    def forward(self, source, target):
        length = target.size(1)
        causal = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
        return self.transformer(source, target, tgt_mask=causal)


def models():
    tokens = torch.tensor([[1, 5, 3, 19, 2], [4, 4, 7, 0, 0]])
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    yield Model("lstm", seeded(Lstm), [("x", picture(2, 7, 6))], ("scripted", "traced"),
                renamed={"traced": {"rnn[1][0]": "rnn[1]", "rnn[1][1]": "rnn[2]"}})
    yield Model("gru_packed", seeded(Packed), [("x", picture(5, 3, 4)), ("lengths", torch.tensor([2, 5, 3]))])
    yield Model("cells", seeded(Cells), [("x", picture(3, 2, 3))])
    yield Model("encoder", seeded(Encoder), [("tokens", tokens)], ("scripted", "frozen"))
    yield Model("encoder_padded", seeded(Encoder), [("tokens", tokens), ("padding", padding)])
    yield Model("seq2seq", seeded(Seq2Seq), [("source", picture(1, 4, 8)), ("target", picture(1, 3, 8, seed=3))])
