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


def models():
    tokens = torch.tensor([[1, 5, 3, 19, 2], [4, 4, 7, 0, 0]])
    yield Model("lstm", seeded(Lstm), [("x", picture(2, 7, 6))])
    yield Model("encoder", seeded(Encoder), [("tokens", tokens)])
