// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/peers.h"
#include "tests/bench/plain_model.h"

#include <stdexcept>

namespace bench {

std::unique_ptr<Peers> makePeers(int, std::string& reason)
{
    reason = NO_PEERS_BECAUSE;
    return nullptr;
}

void saveResNet18(const std::filesystem::path&)
{
    throw std::runtime_error(NO_PEERS_BECAUSE);
}

std::unique_ptr<PlainModel> openPlain(const std::filesystem::path&, int)
{
    throw std::runtime_error(NO_PEERS_BECAUSE);
}

} // namespace bench
