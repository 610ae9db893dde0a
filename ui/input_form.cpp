// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/input_form.h"

#include "ui/calm_box.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

namespace ui {
namespace {

const auto asIs = QStringLiteral("as is");

/// Words of the command line; what a box shows first stands for none of them.
QString wordOf(const QComboBox* box)
{
    return box->currentIndex() <= 0 ? QString() : box->currentText();
}

void setWord(QComboBox* box, const QString& word)
{
    if (!word.isEmpty() && box->findText(word) < 0)
        box->addItem(word);
    box->setCurrentIndex(word.isEmpty() ? 0 : box->findText(word));
}

QString sizeOf(const QComboBox* box)
{
    const QString text = box->currentText().trimmed();
    return text == asIs ? QString() : text;
}

void setSize(QComboBox* box, const QString& size)
{
    const QString text = size.isEmpty() ? asIs : size;
    if (box->currentText() != text)
        box->setEditText(text);
}

} // namespace

InputForm::InputForm(QWidget* parent)
    : QWidget(parent), m_rows(new QFormLayout(this)),
      m_resize(makeSize({asIs, QStringLiteral("224x224"), QStringLiteral("short=256")}, tr("Resize"),
                        tr("Size to which pictures are brought: WIDTHxHEIGHT, or the shorter side as short=256"))),
      m_crop(makeSize({asIs, QStringLiteral("224x224")}, tr("Crop"), tr("Then the middle is cut out: WIDTHxHEIGHT"))),
      m_preset(makeBox(
          tr("automatic"),
          {QStringLiteral("zero-one"), QStringLiteral("imagenet"), QStringLiteral("minus-one-one"), QStringLiteral("none")},
          tr("Scale"),
          tr("How values are scaled. automatic: pictures as zero-one, tensors as none; zero-one: / 255; imagenet: "
             "/ 255, then ImageNet's mean and standard deviation; minus-one-one: / 127.5 - 1; none: as they are"))),
      m_mean(makeValues(tr("Mean"), tr("Then subtracted, a value for each channel: 0.5,0.5,0.5"))),
      m_std(makeValues(tr("Standard deviation"), tr("Then divided by, a value for each channel: 0.5,0.5,0.5"))),
      m_layoutIn(makeBox(asIs, {QStringLiteral("HWC"), QStringLiteral("CHW"), QStringLiteral("NCHW")}, tr("Axes of the input"),
                         tr("Axes of a tensor file, brought to NCHW: N batch, C channel, H row, W column"))),
      m_dtype(
          makeBox(asIs,
                  {QStringLiteral("float32"), QStringLiteral("float16"), QStringLiteral("bfloat16"), QStringLiteral("float64"),
                   QStringLiteral("int64"), QStringLiteral("int32"), QStringLiteral("uint8"), QStringLiteral("bool")},
                  tr("Dtype of the input"), tr("Dtype to which the input is converted")))
{
    auto* form = m_rows;
    form->setContentsMargins({});
    form->setHorizontalSpacing(8);
    form->setVerticalSpacing(4);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto label = [this](const QString& text) {
        auto* quiet = new QLabel(text, this);
        quiet->setForegroundRole(QPalette::PlaceholderText);
        return quiet;
    };
    form->addRow(label(tr("Resize")), m_resize);
    form->addRow(label(tr("Crop")), m_crop);
    form->addRow(label(tr("Scale")), m_preset);
    auto* values = new QHBoxLayout;
    values->setSpacing(4);
    values->addWidget(m_mean, 1);
    values->addWidget(m_std, 1);
    form->addRow(label(tr("Mean, std")), values);
    form->addRow(label(tr("Axes")), m_layoutIn);
    form->addRow(label(tr("Dtype")), m_dtype);
}

QComboBox* InputForm::makeSize(const QStringList& sizes, const QString& name, const QString& tip)
{
    auto* box = new CalmBox(this);
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    box->setCompleter(nullptr);
    // A file dropped here is the window's.
    box->setAcceptDrops(false);
    box->lineEdit()->setAcceptDrops(false);
    box->addItems(sizes);
    box->setAccessibleName(name);
    box->setToolTip(tip);
    connect(box->lineEdit(), &QLineEdit::textEdited, this, &InputForm::typed);
    connect(box->lineEdit(), &QLineEdit::editingFinished, this, &InputForm::chosen);
    connect(box, &QComboBox::activated, this, &InputForm::chosen);
    return box;
}

QComboBox* InputForm::makeBox(const QString& first, const QStringList& words, const QString& name, const QString& tip)
{
    auto* box = new CalmBox(this);
    box->addItem(first);
    box->addItems(words);
    box->setAccessibleName(name);
    box->setToolTip(tip);
    connect(box, &QComboBox::activated, this, &InputForm::chosen);
    return box;
}

QLineEdit* InputForm::makeValues(const QString& name, const QString& tip)
{
    auto* field = new QLineEdit(this);
    field->setMinimumWidth(48);
    field->setAcceptDrops(false);
    field->setPlaceholderText(tr("none"));
    field->setAccessibleName(name);
    field->setToolTip(tip);
    connect(field, &QLineEdit::textEdited, this, &InputForm::typed);
    connect(field, &QLineEdit::editingFinished, this, &InputForm::chosen);
    return field;
}

void InputForm::setChoice(const InputChoice& choice)
{
    setSize(m_resize, choice.resize);
    setSize(m_crop, choice.crop);
    setWord(m_preset, choice.preset);
    m_mean->setText(choice.mean);
    m_std->setText(choice.std);
    setWord(m_layoutIn, choice.layoutIn);
    setWord(m_dtype, choice.dtype);
}

void InputForm::setTakesPictures(bool takes)
{
    if (takes == m_takesPictures)
        return;
    m_takesPictures = takes;
    for (int row = 0; row + 1 < m_rows->rowCount(); ++row)
        m_rows->setRowVisible(row, takes);
}

void InputForm::setAutomaticScale(const QString& word)
{
    m_preset->setItemText(0, word.isEmpty() ? tr("automatic") : tr("auto: %1").arg(word));
}

void InputForm::apply(InputChoice& choice) const
{
    choice.dtype = wordOf(m_dtype);
    if (!m_takesPictures)
        return;
    choice.resize = sizeOf(m_resize);
    choice.crop = sizeOf(m_crop);
    choice.preset = wordOf(m_preset);
    choice.mean = m_mean->text().trimmed();
    choice.std = m_std->text().trimmed();
    choice.layoutIn = wordOf(m_layoutIn);
}

} // namespace ui
