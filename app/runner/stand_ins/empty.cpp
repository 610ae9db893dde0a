// SPDX-License-Identifier: GPL-3.0-or-later
// The stand-ins hold nothing: only their names are asked for.
