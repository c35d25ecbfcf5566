// The rules that every file of the tree keeps, each a pure function from a file to what it finds wrong: one line per
// finding, "path:line: what". A rule's exemptions stand beside it in rules.cc, each with its reason.
#pragma once

#include <string>
#include <vector>

#include "tidy/source_tree.h"

namespace muster::tidy {

using Findings = std::vector<std::string>;

// "src/a.cc:3: what", for the line of that index.
std::string finding_at(const SourceFile& file, std::size_t line_index, std::string_view what);

// Dependencies point one way: a folder of src/ includes only what the architecture lets it, controllers do not include
// each other, and what is in a testing/ folder is included by tests only.
Findings check_includes(const SourceFile& file);
// "base/text.h" from `#include "base/text.h"`; nothing for other lines and for system headers.
std::string_view own_include(std::string_view line);
// A folder can be read at a glance: at most 40 files, tests included.
Findings check_folder_sizes(const SourceTree& tree);
// Folders of src/ do not include each other in circles, sub-folders neither. Tests are not looked at.
Findings check_folder_circles(const SourceTree& tree);
// Only os/ touches the system; everyone else goes through its seams. Tests may do what they need, and comments may say
// what they like.
Findings check_system_calls(const SourceFile& file);
// No file holds so much that it must hold two ideas.
Findings check_length(const SourceFile& file);
// No marks of unfinished work: an open end is an issue, not a comment.
Findings check_unfinished(const SourceFile& file);
// Sentences have nouns for subjects: some old pronouns and adverbs are refused, in names of tests as well.
Findings check_words(const SourceFile& file);
// Spaces only (a Makefile's recipes cannot).
Findings check_tabs(const SourceFile& file);
// Tests are compiled in batches: what a test file has for itself stands in a namespace of the file's name.
Findings check_test_namespace(const SourceFile& file);
// Names say what a thing is: no util, helper, manager, common, impl.
Findings check_name(const SourceFile& file);
// A header starts with what it is, and has #pragma once.
Findings check_header(const SourceFile& file);
// A source says what it is in its first line, or has a header (a test: a source or header) of its name that does.
Findings check_introduced(const SourceFile& file, const SourceTree& tree);
// The documents in the root and in docs/ name only files, folders, functions and tests that exist: `src/base/text.h`,
// `run_it()`, `Suite.Name`.
Findings check_document(const SourceFile& file, const SourceTree& tree);

}  // namespace muster::tidy
