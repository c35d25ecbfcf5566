#include "os/loop/task.h"

namespace muster::os {

std::string exception_text(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& known) {
        return known.what();
    } catch (...) {
        return "an exception of an unknown type";
    }
}

void end_with_exception() noexcept {
    check_failed(__FILE__, __LINE__, "no exception leaves a Task", exception_text(std::current_exception()));
}

}  // namespace muster::os
