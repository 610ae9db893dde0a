// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/capture_rows.h"

#include "app/model/model_process.h"
#include "core/error.h"
#include "tests/bench/plain_model.h"
#include "tests/bench/read_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#include <unistd.h>

namespace bench {
namespace {

constexpr std::int64_t side = 224;
constexpr std::int64_t budgetBytes = std::int64_t{1} << 30;

/// A file that goes with this.
class TemporaryFile
{
public:
    TemporaryFile()
        : path(std::filesystem::temp_directory_path() / fmt::format("actiscope-bench-{}.pt", static_cast<long>(::getpid())))
    {
    }
    ~TemporaryFile()
    {
        std::error_code error;
        std::filesystem::remove(path, error);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::filesystem::path path;
};

std::vector<float> bellCurve(std::size_t count)
{
    std::mt19937 engine(1);
    std::normal_distribution<float> values;
    std::vector<float> out(count);
    std::generate(out.begin(), out.end(), [&] { return values(engine); });
    return out;
}

app::RunRequest request(const std::vector<float>& input, const std::vector<std::string>& layers, bool all)
{
    app::RunRequest out;
    out.arguments.emplace_back("x", app::ModelValue{core::Tensor::fromValues(core::DType::f32, {1, 3, side, side}, input)});
    out.layers = layers;
    out.allLayers = all;
    out.budgetBytes = budgetBytes;
    return out;
}

bool sameOutput(const app::RunResult& result, std::span<const float> plain)
{
    if (result.captures.empty() || !result.captures.back().isOutput)
        return false;
    const auto* tensor = std::get_if<core::Tensor>(&result.captures.back().value);
    return tensor && static_cast<std::size_t>(tensor->bytes()) == plain.size_bytes() &&
           std::memcmp(tensor->data(), plain.data(), plain.size_bytes()) == 0;
}

/// The runner, LibTorch, and what they run.
class Contest
{
public:
    Contest(int threads, int rounds)
        : m_rounds(rounds), m_workers(threads), m_input(bellCurve(3 * side * side)), m_read(std::size_t{64} << 20)
    {
        saveResNet18(m_file.path);
        m_plain = openPlain(m_file.path, threads);
        app::RunnerSettings settings;
        settings.threads = threads;
        m_process = std::make_unique<app::ModelProcess>(std::move(settings));
        m_process->open(m_file.path, {});
    }

    Row row(const std::string& name, const std::vector<std::string>& layers, bool all)
    {
        const auto wanted = request(m_input, layers, all);
        const auto ours = [&] { m_last = m_process->run(wanted, {}, {}); };
        const Peer peer{"plain forward", [&] { m_plain->run(m_input, side); }};
        ours();
        if (!m_last.failure.empty())
            throw std::runtime_error(m_last.failure);
        peer.run();
        const bool equal = sameOutput(m_last, m_plain->output());
        return measure({name, ours, {peer}, [&] { readOnce(std::as_bytes(std::span(m_read)), m_workers); }, equal}, m_rounds);
    }

private:
    const int m_rounds;
    core::Workers m_workers;
    TemporaryFile m_file;
    const std::vector<float> m_input;
    const std::vector<char> m_read;
    std::unique_ptr<PlainModel> m_plain;
    std::unique_ptr<app::ModelProcess> m_process;
    app::RunResult m_last;
};

} // namespace

std::vector<Row> captureRows(int threads, int rounds, const std::function<bool(const std::string&)>& isWanted)
{
    const std::string all = "capture_all/resnet18";
    const std::string one = "capture_one/resnet18";
    std::vector<Row> rows;
    if (!isWanted(all) && !isWanted(one))
        return rows;
    try {
        Contest contest(threads, rounds);
        const auto add = [&](const std::string& name, const std::vector<std::string>& layers, bool takesAll) {
            if (!isWanted(name))
                return;
            rows.push_back(contest.row(name, layers, takesAll));
            print(rows.back());
        };
        add(all, {}, true);
        // The largest output of all layers.
        add(one, {"conv1"}, false);
    } catch (const std::exception& error) {
        fmt::print("captures are not measured: {}\n", error.what());
    }
    return rows;
}

} // namespace bench
