// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/number_text.h"

#include <QStringList>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace ui {
namespace {

QString latin(std::string_view text)
{
    return QString::fromLatin1(text.data(), static_cast<qsizetype>(text.size()));
}

QString grouped(QString digits)
{
    const qsizetype first = digits.startsWith(u'-') ? 1 : 0;
    for (qsizetype at = digits.size() - 3; at > first; at -= 3)
        digits.insert(at, u',');
    return digits;
}

/// Lays out "d.ddde-07" in plain decimals where that stays readable.
QString plainDecimal(std::string_view scientific)
{
    const std::size_t e = scientific.find('e');
    if (e == std::string_view::npos)
        return latin(scientific);
    const int exponent = QByteArray(scientific.data() + e + 1, static_cast<qsizetype>(scientific.size() - e - 1)).toInt();
    QString mantissa = latin(scientific.substr(0, e));
    const bool negative = mantissa.startsWith(u'-');
    if (negative)
        mantissa.remove(0, 1);
    mantissa.remove(u'.');
    QString text;
    if (exponent < -5 || exponent >= 15) {
        text = mantissa.left(1) + (mantissa.size() > 1 ? QLatin1String(".") + mantissa.mid(1) : QString()) + QLatin1Char('e') +
               QString::number(exponent);
    } else if (exponent < 0) {
        text = QLatin1String("0.") + QString(-exponent - 1, u'0') + mantissa;
    } else if (mantissa.size() > exponent + 1) {
        text = mantissa.left(exponent + 1) + QLatin1Char('.') + mantissa.mid(exponent + 1);
    } else {
        text = mantissa + QString(exponent + 1 - mantissa.size(), u'0');
    }
    return negative ? QLatin1Char('-') + text : text;
}

template <class T>
QString shortest(T value)
{
    std::array<char, 48> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
    return plainDecimal({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

QString rounded(double value, int digits)
{
    std::array<char, 48> buffer;
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, digits - 1).ptr;
    std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const std::size_t e = text.find('e');
    std::size_t last = text.substr(0, e).find_last_not_of('0');
    if (text[last] == '.')
        --last;
    const std::string trimmed =
        text.find('.') < e ? std::string(text.substr(0, last + 1)) + std::string(text.substr(e)) : std::string(text);
    return plainDecimal(trimmed);
}

/// `value` rounded to the nearest value of an 8-bit float dtype, ties to even, by looking at all of them.
float nearestFloat8(core::DType dtype, double value)
{
    float best = std::numeric_limits<float>::quiet_NaN();
    for (int bits = 0; bits < 256; ++bits) {
        const float candidate = core::float8ToFloat(dtype, static_cast<std::uint8_t>(bits));
        if (!std::isfinite(candidate))
            continue;
        const double distance = std::abs(candidate - value);
        const double least = std::abs(best - value);
        if (std::isnan(best) || distance < least || (distance == least && bits % 2 == 0))
            best = candidate;
    }
    return best;
}

double roundTo(core::DType dtype, double value)
{
    if (core::isFloat8(dtype))
        return nearestFloat8(dtype, value);
    if (dtype == core::DType::f16)
        return core::toFloat(core::toHalf(static_cast<float>(value)));
    return core::toFloat(core::toBFloat16(static_cast<float>(value)));
}

QString shortestSmallFloat(double value, core::DType dtype)
{
    constexpr int enough = 6;
    for (int digits = 1; digits < enough; ++digits) {
        const QString text = rounded(value, digits);
        if (roundTo(dtype, text.toDouble()) == value)
            return text;
    }
    return shortest(static_cast<float>(value));
}

} // namespace

QString countText(std::int64_t count)
{
    return grouped(QString::number(count));
}

QString countText(std::uint64_t count)
{
    return grouped(QString::number(count));
}

QString percentText(std::int64_t count, std::int64_t elements)
{
    if (elements <= 0)
        return {};
    if (count == 0 || count == elements)
        return count == 0 ? QStringLiteral("0 %") : QStringLiteral("100 %");
    const double percent = 100 * (static_cast<double>(count) / static_cast<double>(elements));
    if (percent < 0.001)
        return QStringLiteral("<0.001 %");
    if (percent > 99.9)
        return QStringLiteral(">99.9 %");
    const int decimals = percent < 0.1 ? 3 : percent < 10 ? 2 : 1;
    return QString::number(percent, 'f', decimals) + QStringLiteral(" %");
}

QString bytesText(std::int64_t bytes)
{
    constexpr std::array units{"kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000)
        return QString::number(bytes) + QStringLiteral(" B");
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (value /= 1000; value >= 999.5 && unit + 1 < units.size(); ++unit)
        value /= 1000;
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return QString::number(value, 'f', decimals) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

QString shapeText(std::span<const std::int64_t> shape)
{
    if (shape.empty())
        return QStringLiteral("scalar");
    QStringList parts;
    for (const std::int64_t extent : shape)
        parts.append(QString::number(extent));
    return parts.join(QChar(0x00d7));
}

QString valueText(double value, core::DType dtype)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    if (value == 0)
        return std::signbit(value) ? QStringLiteral("-0") : QStringLiteral("0");
    if (core::isFloat8(dtype) || dtype == core::DType::f16 || dtype == core::DType::bf16)
        return shortestSmallFloat(value, dtype);
    if (dtype == core::DType::f32 || dtype == core::DType::c64)
        return shortest(static_cast<float>(value));
    if (!core::isFloating(dtype) && !core::isComplex(dtype) && value == std::trunc(value))
        return QString::number(value, 'f', 0);
    return shortest(value);
}

QString valueText(const core::Scalar& value, core::DType dtype)
{
    if (const auto* real = std::get_if<double>(&value))
        return valueText(*real, dtype);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return QString::number(*integer);
    return QString::number(std::get<std::uint64_t>(value));
}

int significantDigits(core::DType dtype)
{
    if (core::isFloat8(dtype))
        return 2;
    switch (dtype) {
    case core::DType::f16:
        return 4;
    case core::DType::bf16:
        return 3;
    case core::DType::f64:
    case core::DType::c128:
        return 15;
    default:
        return 7;
    }
}

QString shortText(double value, core::DType dtype)
{
    constexpr qsizetype longest = 8;
    constexpr int digits = 5;
    const QString text = valueText(value, dtype);
    return text.size() <= longest || !std::isfinite(value) ? text : rounded(value, digits);
}

QString shortText(const core::Scalar& value, core::DType dtype)
{
    const auto* real = std::get_if<double>(&value);
    // Whole numbers are shown in full.
    return real ? shortText(*real, dtype) : valueText(value, dtype);
}

QString figureText(double value, core::DType dtype)
{
    if (!std::isfinite(value) || value == 0)
        return valueText(value, core::DType::f64);
    return rounded(value, significantDigits(dtype));
}

double toDouble(const core::Scalar& value)
{
    return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

} // namespace ui
