// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"

#include "app/cli/commands.h"
#include "app/cli/mistyped.h"
#include "app/cli/session.h"
#include "core/error.h"
#include "core/io/write.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>

#include <fcntl.h>
#include <unistd.h>

namespace app::cli {

namespace {

constexpr int failed = 1;
constexpr int wrongUsage = 2;

constexpr Command table[] = {
    {"info", "List what a file or folder holds", prepareInfo},
    {"analyze", "Count hot elements; statistics of a tensor and its channels", prepareAnalyze},
    {"coords", "Write the coordinates of hot elements", prepareCoords},
    {"render", "Write a heat map, channel, mask, overlay or wall as a picture or array", prepareRender},
    {"capture", "Run a TorchScript model and write what its layers gave", prepareCapture},
};

int run(const Action& action, Session& session)
{
    try {
        action(session);
        return 0;
    } catch (const core::Cancelled&) {
        return session.interrupt().exitCode();
    } catch (const core::io::ReaderGone&) {
        return 0;
    } catch (const core::UsageError& error) {
        session.fail(error.what());
        return wrongUsage;
    } catch (const std::bad_alloc&) {
        session.fail("not enough memory: close other programs or take a part of the tensor with --batch, --channel or --at");
    } catch (const std::exception& error) {
        session.fail(error.what());
    }
    return failed;
}

/// An empty text is a value only as the name of a tensor or layer.
void checkValues(const CLI::App& parser)
{
    for (const auto* option : parser.get_options())
        for (const auto& value : option->results())
            if (value.empty() && option->get_name() != "--tensor" && option->get_name() != "--layer")
                throw CLI::ValidationError(option->get_name(), "the value is empty");
}

/// A file opened later must not take the number of a closed stdin, stdout or stderr: messages would be written into it.
void keepStandardDescriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0)
            // Writing to stdout shall still fail, telling someone on stderr shall not.
            [[maybe_unused]]
            const int opened = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/// Reads the options after the program's (and the command's) name. Throws CLI::ParseError.
void parse(CLI::App& parser, int argc, char** argv, int first)
{
    std::vector<std::string> arguments;
    for (int i = std::min(first, argc); i < argc; ++i) {
        arguments.emplace_back(argv[i]);
        // CLI11 would take the next argument for the value of `--name=`.
        if (auto& last = arguments.back(); last.starts_with("--") && last.find('=') == last.size() - 1) {
            last.pop_back();
            arguments.emplace_back();
        }
    }
    std::ranges::reverse(arguments); // CLI11 takes them from the back
    parser.parse(std::move(arguments));
    checkValues(parser);
}

/// What a refusal or a question for help means: text and exit code.
int explain(const CLI::App& parser, const CLI::ParseError& error, Session& session)
{
    if (error.get_exit_code() == 0) {
        const bool version = error.get_name() == "CallForVersion";
        return run([&](Session&) { writeResult({}, version ? versionText() : parser.help()); }, session);
    }
    session.fail(fmt::format("{} (see {} --help)", error.what(), parser.get_name()));
    return wrongUsage;
}

int runCommand(const Command& command, int argc, char** argv)
{
    Session session;
    CLI::App parser(command.description, fmt::format("actiscope {}", command.name));
    const auto action = command.prepare(parser);
    try {
        parse(parser, argc, argv, 2);
    } catch (const CLI::ParseError& error) {
        return explain(parser, error, session);
    }
    return run(action, session);
}

std::string commandList()
{
    std::string text = "Commands (each explains itself with --help):\n";
    for (const auto& command : commands())
        text += fmt::format("  actiscope {:<8} {}\n", command.name, command.description);
    return text + "\nExamples:\n"
                  "  actiscope activations.pt\n"
                  "  actiscope model.pt photo.jpg\n"
                  "  actiscope info activations.pt\n"
                  "  actiscope analyze activations.pt --tensor layer1 --threshold 0.8";
}

void addWindowOptions(CLI::App& parser, WindowOptions& window)
{
    parser.add_option("FILE", window.files, "Files and folders to open in the window");
    parser.add_option("--image", window.image, "Picture to lay masks over")->type_name("FILE");
    parser.add_option("--input", window.inputs, "Picture or tensor file to run the model among them on (repeatable)")
        ->type_name("FILE")
        ->expected(1)
        ->take_all();
    parser.add_option("--op-library", window.operatorLibraries, "Library of custom operators that models need (repeatable)")
        ->type_name("FILE")
        ->expected(1)
        ->take_all();
    parser.add_flag("--self-test", window.selfTest, "Open the window offscreen on the sample, drag the threshold, exit");
    parser.add_option("--bench-drag", window.benchDrag, "Measure offscreen how fast dragging the threshold is")
        ->type_name("FILE");
    // Only so that CLI11 knows the name; versionText() is slow enough not to be made for nothing.
    parser.set_version_flag("--version", "", "Version, vector width, GPU, LibTorch");
    parser.footer(commandList());
}

/// The runs that drive the window themselves open what they need.
void checkWindowOptions(const WindowOptions& window)
{
    const bool isBench = !window.benchDrag.empty();
    if (!window.selfTest && !isBench)
        return;
    if ((window.selfTest && isBench) || !window.files.empty() || !window.image.empty())
        throw CLI::ValidationError(isBench ? "--bench-drag" : "--self-test",
                                   fmt::format("opens {}: leave out everything else", isBench ? "its one file" : "a sample"));
}

/// The only word that names neither a command nor a file: most likely a slip of the fingers.
int failMistyped(const std::string& word)
{
    std::vector<std::string_view> names;
    for (const auto& command : commands())
        names.push_back(command.name);
    const auto meant = nearest(word, names);
    Session session;
    session.fail(fmt::format("\"{}\" is no command, and there is no file of that name{} (see actiscope --help)", word,
                             meant ? fmt::format("; did you mean \"{}\"?", *meant) : ""));
    return wrongUsage;
}

/// Whether a file may be a TorchScript program, which is a zip archive.
bool mayBeModel(const std::string& file)
{
    std::ifstream stream(file, std::ios::binary);
    char letters[2] = {};
    return stream.read(letters, sizeof letters) && letters[0] == 'P' && letters[1] == 'K';
}

/// What need not open a window to be refused: its exit code, or nothing.
std::optional<int> refuse(const WindowOptions& window)
{
    const auto isMissing = [](const std::string& file) {
        std::error_code problem;
        return !std::filesystem::exists(file, problem) && !problem;
    };
    // Where one is there, the window opens and says what the others lack.
    if (!window.files.empty() && std::ranges::all_of(window.files, isMissing)) {
        Session session;
        for (const auto& file : window.files)
            session.fail(fmt::format("{}: there is no such file: check the name", file));
        return failed;
    }
    if (!window.inputs.empty() && std::ranges::none_of(window.files, mayBeModel)) {
        Session session;
        session.fail(
            "--input is for models, and none is given: actiscope MODEL --input FILE (a picture under masks is --image)");
        return wrongUsage;
    }
    return std::nullopt;
}

std::optional<int> runWithoutCommand(int argc, char** argv, WindowOptions& window)
{
    CLI::App parser("Actiscope opens saved tensors and shows, live and exactly, where they fire", "actiscope");
    addWindowOptions(parser, window);
    try {
        parse(parser, argc, argv, 1);
        checkWindowOptions(window);
    } catch (const CLI::ParseError& error) {
        Session session;
        return explain(parser, error, session);
    }
    return refuse(window);
}

} // namespace

std::span<const Command> commands()
{
    return table;
}

std::optional<int> runCommandLine(int argc, char** argv, WindowOptions& window)
{
    keepStandardDescriptors();
    const std::string_view name = argc > 1 ? argv[1] : "";
    const auto command = std::ranges::find(table, name, &Command::name);
    if (command != std::end(table))
        return runCommand(*command, argc, argv);
    if (looksLikeCommand(std::string(name)))
        return failMistyped(std::string(name));
    return runWithoutCommand(argc, argv, window);
}

} // namespace app::cli
