// A list as the server prints it for people: columns and rows, which is what `kubectl get` shows. JSON only; the
// numbers are ours, as Kubernetes has no protobuf form of it.
#pragma once

#include "api/kinds/meta/meta.h"

namespace muster::api::meta {

struct TableColumnDefinition {
    TYPE(TableColumnDefinition, "One column of a table.")
    FIELD(1, Text, name, "Heading of the column.", .required = true)
    FIELD(2, Text, type, "OpenAPI type of its cells: string, integer, number, boolean, date and so on.",
          .required = true)
    FIELD(3, Text, format, "OpenAPI format of its cells. The column with format name holds the object's name.",
          .required = true)
    FIELD(4, Text, description, "What the column shows.", .required = true)
    FIELD(5, std::int32_t, priority, "Zero is always shown; columns with higher numbers only in wide output.",
          .required = true)
};

struct TableRowCondition {
    TYPE(TableRowCondition, "Something worth knowing about a row as a whole.")
    FIELD(1, Text, type, "Which aspect. Completed says that the object has run to its end.", .required = true)
    FIELD(2, Text, status, "Whether it holds: True, False or Unknown.", .required = true,
          .one_of = "True|False|Unknown")
    FIELD(3, Text, reason, "Why, as one CamelCase word for programs.")
    FIELD(4, Text, message, "Why, as a sentence for people.")
};

struct TableRow {
    TYPE(TableRow, "One row of a table: one object.")
    FIELD(1, List<RawJson>, cells, "One value per column: text, number, boolean, list, object or null.",
          .required = true)
    FIELD(2, List<TableRowCondition>, conditions, "What is worth knowing about the row as a whole.")
    FIELD(
        3, RawJson, object,
        "The object itself, its metadata alone, or nothing, as the request's includeObject asked. Metadata by default.")
};

struct Table {
    KIND(Table, "A list of objects as columns and rows for people to read.")
    FIELD(1, ListMeta, metadata, "The list's metadata.")
    FIELD(2, List<TableColumnDefinition>, column_definitions, "The columns. Every row has one cell for each.",
          .required = true)
    FIELD(3, List<TableRow>, rows, "The rows, in the order of the list.", .required = true)
};

}  // namespace muster::api::meta
