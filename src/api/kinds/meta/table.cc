#include "api/kinds/meta/table.h"

namespace muster::api::meta {

DEFINE_TYPE(TableColumnDefinition)
DEFINE_TYPE(TableRowCondition)
DEFINE_TYPE(TableRow)
DEFINE_TYPE(Table)

}  // namespace muster::api::meta
