// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/document.h"
#include "core/io/allowance.h"
#include "core/io/names.h"
#include "core/io/numpy_rebuild.h"
#include "core/io/pickle_value.h"
#include "core/io/torch_rebuild.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace core::io {

/// Lists everything that a pickled value holds as entries of a document, in the file's order: tensors and arrays in any
/// nesting, plain values, and objects of classes that are not known, whose state is walked too.
class PickleWalk
{
public:
    /// A TorchScript program's modules list their tensors only, as parameters.
    enum class Style { saved, script };

    PickleWalk(Document& document, Allowance& allowance, TorchRebuilder& torch, const NumpyRebuilder& numpy)
        : m_document(document), m_allowance(allowance), m_torch(torch), m_numpy(numpy)
    {
    }

    /// Throws Error for nesting deeper than deepestNesting, entries past the allowance, tensors that do not fit; Cancelled.
    void walk(const PickleValue& root, Style style, const Job& job);

private:
    struct Place
    {
        std::string name;
        std::vector<std::string> path;
        Place key(std::string_view key) const;
        Place index(std::string_view index) const;
    };

    void visit(const PickleValue& value, const Place& place, int depth);
    void visitNode(const PickleValue& value, const Place& place, int depth);
    void visitItems(std::span<const PickleValue> items, const Place& place, int depth);
    void visitPairs(std::span<const PickleValue> pairs, const Place& place, int depth);
    /// Pairs given as one list or tuple of (key, value), as Python 2 pickled an OrderedDict.
    void visitPairList(std::span<const PickleValue> items, const Place& place, int depth);
    bool visitKnownCall(const PickleValue& value, const Place& place, int depth);
    void visitObject(const PickleValue& value, const Place& place, int depth);
    void visitModule(std::span<const PickleValue> state, const Place& place, int depth);
    void visitScriptModule(std::span<const PickleValue> state, const Place& place, int depth);
    void visitMember(const PickleValue& key, const PickleValue& value, const Place& place, int depth);

    bool addTensor(const PickleValue& value, const Place& place);
    void addValue(std::string text, const Place& place);
    void addObject(std::string_view type, const Place& place);
    void add(Entry entry, const Place& place);
    void markParametersFrom(std::size_t first);

    Document& m_document;
    Allowance& m_allowance;
    TorchRebuilder& m_torch;
    const NumpyRebuilder& m_numpy;
    Style m_style = Style::saved;
    UniqueNames m_names;
    std::string m_stem;
    std::unordered_set<const PickleNode*> m_open;
    const Job* m_job = nullptr;
};

} // namespace core::io
