// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors_header.h"

#include "core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace core::io {

namespace {

using Json = nlohmann::json;

/// Reads the header event by event: a parsed tree would have lost duplicate keys already. Level 1 is the header, level 2 a
/// tensor or __metadata__, level 3 its lists.
class Handler : public nlohmann::json_sax<Json>
{
public:
    explicit Handler(const std::string& subject) : m_subject(subject) {}

    SafeHeader take() { return std::move(m_header); }

    bool null() override { return other("null"); }
    bool boolean(bool) override { return other("a truth value"); }
    bool number_float(number_float_t, const string_t&) override { return other("a fraction"); }
    bool number_integer(number_integer_t number) override
    {
        if (number >= 0) // the parser gives these as unsigned
            return number_unsigned(static_cast<number_unsigned_t>(number));
        return other("a negative number");
    }
    bool number_unsigned(number_unsigned_t number) override
    {
        if (isIgnored())
            return true;
        if (m_level != 3)
            return other("a number");
        m_numbers.push_back(number);
        return true;
    }
    bool string(string_t& text) override
    {
        if (isIgnored())
            return true;
        if (m_level == 2 && m_inMetadata)
            m_header.metadata.emplace_back(m_field, text);
        else if (m_level == 2 && m_field == "dtype")
            m_header.tensors.back().dtype = text;
        else
            return other("a text");
        return true;
    }
    bool binary(binary_t&) override { return other("bytes"); }

    bool start_object(std::size_t) override
    {
        ++m_level;
        if (m_level > deepest)
            fail("nested too deeply");
        if (m_level == 2) {
            m_inMetadata = m_name == "__metadata__";
            m_fields.clear();
            if (!m_inMetadata)
                m_header.tensors.push_back({.name = m_name, .dtype = {}, .shape = {}, .begin = 0, .end = 0});
        } else if (m_level > 2 && !isIgnored()) {
            return other("an object");
        }
        return true;
    }
    bool key(string_t& text) override
    {
        if (m_level == 1) {
            if (!m_names.insert(text).second)
                fail(fmt::format("duplicate key {}", text));
            m_name = text;
        } else if (m_level == 2) {
            if (!m_fields.insert(text).second)
                fail(fmt::format("duplicate key {} of {}", text, m_name));
            m_field = text;
        }
        return true;
    }
    bool end_object() override
    {
        if (m_level == 2 && !m_inMetadata)
            for (const char* field : {"dtype", "shape", "data_offsets"})
                if (!m_fields.contains(field))
                    fail(fmt::format("{} has no {}", m_name, field));
        --m_level;
        m_field.clear();
        return true;
    }
    bool start_array(std::size_t) override
    {
        ++m_level;
        if (m_level > deepest)
            fail("nested too deeply");
        m_numbers.clear();
        if (isIgnored() || (m_level == 3 && !m_inMetadata && (m_field == "shape" || m_field == "data_offsets")))
            return true;
        return other("a list");
    }
    bool end_array() override
    {
        if (m_level == 3 && !isIgnored())
            endNumbers();
        --m_level;
        return true;
    }
    bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override
    {
        fail(fmt::format("no valid JSON at byte {} of it", at));
    }

private:
    static constexpr int deepest = 64;

    /// Fields that the format does not know (yet) are passed over, as its own library does.
    bool isIgnored() const
    {
        return m_level >= 2 && !m_inMetadata && m_field != "dtype" && m_field != "shape" && m_field != "data_offsets";
    }

    bool other(std::string_view what)
    {
        if (isIgnored())
            return true;
        if (m_level == 0)
            fail(fmt::format("{} instead of an object", what));
        if (m_level == 1)
            fail(fmt::format("{} is {} instead of an object", m_name, what));
        fail(fmt::format("{} of {} holds {}", m_field, m_name, what));
    }

    void endNumbers()
    {
        auto& tensor = m_header.tensors.back();
        if (m_field == "data_offsets") {
            if (m_numbers.size() != 2)
                fail(fmt::format("data_offsets of {} are {} numbers instead of 2", m_name, m_numbers.size()));
            tensor.begin = m_numbers[0];
            tensor.end = m_numbers[1];
            return;
        }
        if (m_numbers.size() > maxRank)
            fail(fmt::format("{} has {} axes, more than {}", m_name, m_numbers.size(), maxRank));
        for (const auto number : m_numbers) {
            if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                fail(fmt::format("{} has the extent {}", m_name, number));
            tensor.shape.push_back(static_cast<std::int64_t>(number));
        }
    }

    [[noreturn]] void fail(const std::string& what) const
    {
        throw Error(fmt::format("{}: header: {}; the file is damaged, fetch or save it again", m_subject, what));
    }

    const std::string& m_subject;
    SafeHeader m_header;
    int m_level = 0;
    bool m_inMetadata = false;
    std::string m_name;
    std::string m_field;
    std::unordered_set<std::string> m_names;
    std::unordered_set<std::string> m_fields;
    std::vector<std::uint64_t> m_numbers;
};

} // namespace

std::span<const SafeDType> safeDTypes()
{
    static constexpr SafeDType all[] = {
        {"BOOL", DType::boolean},
        {"U8", DType::u8},
        {"I8", DType::i8},
        {"U16", DType::u16},
        {"I16", DType::i16},
        {"U32", DType::u32},
        {"I32", DType::i32},
        {"U64", DType::u64},
        {"I64", DType::i64},
        {"F8_E4M3", DType::f8e4m3fn},
        {"F8_E5M2", DType::f8e5m2},
        {"F8_E4M3FNUZ", DType::f8e4m3fnuz},
        {"F8_E5M2FNUZ", DType::f8e5m2fnuz},
        {"F16", DType::f16},
        {"BF16", DType::bf16},
        {"F32", DType::f32},
        {"F64", DType::f64},
        {"C64", DType::c64},
        {"F4", std::nullopt},
        {"F6_E2M3", std::nullopt},
        {"F6_E3M2", std::nullopt},
        {"F8_E8M0", std::nullopt},
    };
    return all;
}

SafeHeader parseSafeHeader(std::string_view json, const std::string& subject)
{
    Handler handler(subject);
    // Only blanks may follow: writers pad the header to 8 bytes.
    Json::sax_parse(json.begin(), json.end(), &handler);
    return handler.take();
}

} // namespace core::io
