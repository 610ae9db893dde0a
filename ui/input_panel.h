// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/render/image.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <memory>
#include <vector>

namespace ui {

/// One argument of a model's forward method.
struct InputArgument
{
    QString name;
    /// TorchScript's words: "Tensor", "Optional[Tensor]", "int".
    QString type;
    /// Text of the default value; empty for none.
    QString defaultText;
    bool required = true;
    /// Takes files or made-up tensors; others take a value as text.
    bool takesTensors = true;
    /// Takes several (List[Tensor]).
    bool takesMany = false;

    bool operator==(const InputArgument&) const = default;
};

/// What the user gives for one argument.
struct ArgumentChoice
{
    enum class Kind { nothing, file, random, ones, text };
    QString name;
    Kind kind = Kind::nothing;
    /// The file (several: one a line), the shape ("1x3x224x224") or the value.
    QString text;

    bool operator==(const ArgumentChoice&) const = default;
};

/// The whole input of a run, as typed; empty texts stand for the defaults.
struct InputChoice
{
    std::vector<ArgumentChoice> arguments;
    /// "224x224" or "short=256".
    QString resize;
    QString crop;
    /// "zero-one", "imagenet", "minus-one-one", "none"; empty: zero-one for pictures, none for tensors.
    QString preset;
    QString mean;
    QString std;
    /// "HWC", "CHW", "NCHW"; empty: as it is.
    QString layoutIn;
    QString dtype;

    bool operator==(const InputChoice&) const = default;
};

/// A change that would make the input fit, offered as a button.
struct InputFix
{
    QString text;
    InputChoice choice;
};

/// What the model would get.
struct InputPreview
{
    /// The first picture as the network gets it, or null.
    std::shared_ptr<const core::Image> picture;
    /// "x: float32 [1, 3, 224, 224]", a line for each argument.
    QString given;
    /// What does not fit, in one sentence; empty when nothing is known against it.
    QString problem;
    std::vector<InputFix> fixes;
    /// The scaling that "automatic" stands for here; empty while that is not known.
    QString automaticScale;
};

/// How models are run, whichever they are.
struct RunOptions
{
    /// Also what every operator within the captured layer gives.
    bool operators = false;
    /// Memory for the values of one run, "2G"; empty: a quarter of the machine's.
    QString memory;
    /// Seconds for loading or running; 0: no limit.
    int timeLimit = 0;
    /// Libraries of custom operators.
    QStringList libraries;

    bool operator==(const RunOptions&) const = default;
};

/// A model as the Input dock shows it.
struct InputModel
{
    int document = 0;
    QString name;
    std::vector<InputArgument> arguments;
    /// "The first convolution takes 3 channels"; may be empty.
    QString hint;
    /// Whether what goes in may be resized, cropped and scaled; not token ids.
    bool takesPictures = true;
    /// What was given last, or the suggested input.
    InputChoice choice;
};

/// Dock content: what goes into the model, what it looks like there, and Run.
class InputPanel : public QWidget
{
    Q_OBJECT
public:
    explicit InputPanel(QWidget* parent = nullptr);
    ~InputPanel() override;

    /// Shows a model's arguments with its choice; emits nothing.
    void showModel(const InputModel& model);
    /// No model is open: says in one line what will be here.
    void showNothing();
    void setPreview(const InputPreview& preview);
    /// While the model runs Run becomes Stop.
    void setRunning(bool running);
    bool isRunning() const;
    /// The document of the model shown, or -1.
    int document() const;
    InputChoice choice() const;
    /// Gives files to the first argument that takes tensors and has none yet, or to the first that takes tensors, and emits
    /// inputChanged. False when no model is shown or none takes one.
    bool giveFiles(const QStringList& files);
    /// What is shown of the model is from an input before the present one.
    void setOutdated(bool outdated);
    /// What the model printed; empty hides it.
    void setLog(const QString& log);
    RunOptions runOptions() const;
    /// Emits nothing.
    void setRunOptions(const RunOptions& options);
    /// As the Run button: tells what was typed last, then asks for a run. Nothing while no model is shown or one runs.
    void run();

Q_SIGNALS:
    /// The user changed the input (typing waits until it rests).
    void inputChanged(int document, const ui::InputChoice& choice);
    void runRequested(int document);
    void stopRequested(int document);
    void runOptionsChanged(const ui::RunOptions& options);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace ui
