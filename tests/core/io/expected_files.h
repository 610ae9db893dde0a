// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/io/reader.h"
#include "mutate.h"

#include <QtTest/QTest>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

namespace tests {

using Json = nlohmann::json;

/// The folder of files that their own libraries wrote (make_fixtures.py).
inline const std::filesystem::path filesFolder = std::filesystem::path(TEST_DATA) / "files";

/// What those libraries say is in them, by file name.
inline const Json& expectedFiles()
{
    static const Json expected = Json::parse(std::ifstream(std::filesystem::path(TEST_DATA) / "expected_files.json"));
    return expected;
}

/// Adds a test row for every expected file whose name begins with one of the prefixes.
inline void addExpectedRows(std::initializer_list<std::string_view> prefixes)
{
    QTest::addColumn<QString>("file");
    for (const auto& [name, unused] : expectedFiles().items())
        for (const auto prefix : prefixes)
            if (name.starts_with(prefix))
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

/// Elements of a tensor in row-major order as little-endian bytes.
inline Bytes bytesOf(const core::Tensor& tensor)
{
    const auto dense = tensor.toContiguous();
    return {dense.data(), dense.data() + dense.bytes()};
}

inline Bytes bytesOfHex(const std::string& hex)
{
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(std::byte(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

/// Adds `count` numbers of type T at `from` to those at `to`.
template <class T>
void addTo(std::byte* to, const std::byte* from, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        T a;
        T b;
        std::memcpy(&a, to + i * sizeof(T), sizeof(T));
        std::memcpy(&b, from + i * sizeof(T), sizeof(T));
        a = T(a + b);
        std::memcpy(to + i * sizeof(T), &a, sizeof(T));
    }
}

/// A sparse tensor made dense the naive way, duplicates summed.
inline Bytes densified(const core::SparseTensor& sparse)
{
    const auto item = std::int64_t(core::itemSize(sparse.dtype()));
    const auto strides = core::contiguousStrides(sparse.shape);
    Bytes dense(std::size_t(core::elementCount(sparse.shape) * item));
    const auto at = [](const core::Tensor& t, std::int64_t i) {
        if (t.dtype() == core::DType::i32)
            return std::int64_t(*reinterpret_cast<const std::int32_t*>(t.data() + i * t.strides().back() * 4));
        return *reinterpret_cast<const std::int64_t*>(t.data() + i * t.strides().back() * 8);
    };
    const auto put = [&](std::int64_t element, const std::byte* value) {
        auto* to = dense.data() + element * item;
        if (sparse.dtype() == core::DType::f32)
            addTo<float>(to, value, 1);
        else if (sparse.dtype() == core::DType::f64)
            addTo<double>(to, value, 1);
        else if (sparse.dtype() == core::DType::i32)
            addTo<std::int32_t>(to, value, 1);
        else
            std::memcpy(to, value, std::size_t(item));
    };
    const auto values = sparse.values.toContiguous();
    if (sparse.kind == core::StorageKind::coo) {
        for (std::int64_t k = 0; k < sparse.indices.shape()[1]; ++k) {
            std::int64_t element = 0;
            for (int axis = 0; axis < int(sparse.shape.size()); ++axis)
                element += at(sparse.indices.select(0, axis), k) * strides[std::size_t(axis)];
            put(element, values.data() + k * item);
        }
        return dense;
    }
    const bool byColumn = sparse.kind == core::StorageKind::csc;
    const auto rows = values.rank() == 3 ? values.shape()[1] : 1;
    const auto columns = values.rank() == 3 ? values.shape()[2] : 1;
    for (std::int64_t major = 0; major + 1 < sparse.indices.elements(); ++major)
        for (auto k = at(sparse.indices, major); k < at(sparse.indices, major + 1); ++k)
            for (std::int64_t inner = 0; inner < rows * columns; ++inner) {
                const auto minor = at(sparse.plainIndices, k);
                const auto row = (byColumn ? minor : major) * rows + inner / columns;
                const auto column = (byColumn ? major : minor) * columns + inner % columns;
                put(row * sparse.shape[1] + column, values.data() + (k * rows * columns + inner) * item);
            }
    return dense;
}

/// Compares a loaded sparse tensor with what SciPy says.
inline void checkSparse(const core::Entry& entry, const core::SparseTensor& sparse, const Json& expected)
{
    QCOMPARE(core::storageKindName(entry.storage), std::string_view(expected["storage"].get<std::string>()));
    QCOMPARE(sparse.kind, entry.storage);
    QCOMPARE(sparse.shape, entry.shape);
    QCOMPARE(sparse.dtype(), entry.dtype);
    QCOMPARE(entry.stored.value(), expected["stored"].get<std::int64_t>());
    QCOMPARE(sparse.stored(), *entry.stored);
    QCOMPARE(densified(sparse), bytesOfHex(expected["dense"]));
}

/// Compares a loaded tensor with the values that the format's own library reads.
inline void checkTensor(const core::Entry& entry, const core::Tensor& tensor, const Json& expected)
{
    QCOMPARE(tensor.dtype(), entry.dtype);
    QCOMPARE(tensor.shape(), entry.shape);
    QCOMPARE(tensor.bytes(), entry.bytes);
    if (!expected["strides"].is_null() && !entry.isImage) {
        QCOMPARE(entry.strides, expected["strides"].get<core::Strides>());
        QCOMPARE(tensor.strides(), entry.strides);
    }
    const auto actual = bytesOf(tensor);
    if (expected.contains("sum")) {
        std::int64_t sum = 0;
        for (const auto byte : actual)
            sum += std::to_integer<int>(byte);
        QCOMPARE(sum, expected["sum"].get<std::int64_t>());
        return;
    }
    const auto wanted = bytesOfHex(expected["values"]);
    QCOMPARE(actual.size(), wanted.size());
    const int tolerance = expected.value("tolerance", 0);
    for (std::size_t i = 0; i < actual.size(); ++i)
        QVERIFY2(std::abs(std::to_integer<int>(actual[i]) - std::to_integer<int>(wanted[i])) <= tolerance,
                 (entry.name + ": byte " + std::to_string(i)).c_str());
}

/// Compares an entry and its data with what the format's own library says.
inline void checkEntry(const core::Entry& entry, const Json& expected)
{
    QCOMPARE(entry.name, expected["name"].get<std::string>());
    QVERIFY2(!entry.path.empty(), entry.name.c_str());
    const auto kind = expected.value("kind", "tensor");
    QCOMPARE(core::entryKindName(entry.kind), std::string_view(kind));
    if (kind != "tensor") {
        QCOMPARE(entry.type, expected.value("type", ""));
        QCOMPARE(entry.value, expected.value("value", ""));
        return;
    }
    QCOMPARE(core::dtypeName(entry.dtype), std::string_view(expected["dtype"].get<std::string>()));
    QCOMPARE(entry.shape, expected["shape"].get<core::Shape>());
    QCOMPARE(entry.isImage, expected.value("isImage", false));
    if (expected.contains("error")) {
        QVERIFY_EXCEPTION_THROWN(entry.load({}), core::Error);
        return;
    }
    const auto content = entry.load({});
    if (entry.verify)
        QVERIFY(!entry.verify({}));
    if (const auto* sparse = std::get_if<core::SparseTensor>(&content))
        checkSparse(entry, *sparse, expected);
    else
        checkTensor(entry, std::get<core::Tensor>(content), expected);
}

/// Compares a document with the expected one.
inline void checkDocument(const core::Document& document, const Json& expected)
{
    QCOMPARE(document.format, expected["format"].get<std::string>());
    QCOMPARE(document.entries.size(), expected["entries"].size());
    for (std::size_t i = 0; i < document.entries.size(); ++i) {
        Json wanted = expected["entries"][i];
        if (expected.value("anyOrder", false))
            for (const auto& other : expected["entries"])
                if (other["name"] == document.entries[i].name)
                    wanted = other;
        checkEntry(document.entries[i], wanted);
        if (QTest::currentTestFailed())
            return;
    }
    std::string warnings;
    for (const auto& warning : document.warnings)
        warnings += warning + "\n";
    if (expected.contains("warning"))
        QVERIFY2(warnings.find(expected["warning"].get<std::string>()) != std::string::npos, warnings.c_str());
    else
        QCOMPARE(warnings, std::string());
}

/// Opens one of the files by a reader and compares all that it says and holds.
inline void checkFile(core::io::Reader* reader, const std::string& name)
{
    const auto path = filesFolder / name;
    const auto document = reader(core::MappedFile::open(path), {}, {});
    QVERIFY(document.has_value());
    QCOMPARE(document->file, path);
    checkDocument(*document, expectedFiles()[name]);
}

/// The message that opening and loading everything ends with; empty when all goes well.
inline std::string messageOf(core::io::Reader* reader, std::span<const std::byte> bytes, const core::io::Limits& limits = {})
{
    try {
        const auto document = reader(core::MappedFile::fromBytes("some.file", bytes), limits, {});
        if (!document)
            return "not mine";
        for (const auto& entry : document->entries)
            if (entry.load)
                entry.load({});
    } catch (const core::Error& error) {
        return error.what();
    }
    return {};
}

/// Every beginning of a file, in 16 steps, gets a message with the file's name (or is not recognised when too little is left).
inline void checkTruncations(core::io::Reader* reader, const std::string& name)
{
    const auto bytes = readBytes((filesFolder / name).string());
    QVERIFY2(!bytes.empty(), name.c_str());
    for (std::size_t part = 0; part < 16; ++part) {
        const auto size = bytes.size() * part / 16;
        const auto message = messageOf(reader, std::span(bytes).first(size));
        QVERIFY2(message.find("some.file") != std::string::npos || message == "not mine",
                 (name + " of " + std::to_string(size) + " bytes: '" + message + "'").c_str());
        if (size > 16)
            QVERIFY2(message != "not mine", (name + " of " + std::to_string(size) + " bytes").c_str());
    }
}

inline Bytes bytesOfText(std::string_view text)
{
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

} // namespace tests
