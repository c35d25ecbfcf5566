// The composition root: where the parts are made and handed to each other.
#include <iostream>

#include "cli/command_line.h"
#include "main/up.h"

int main(int argc, char** argv) {
    return muster::cli::run_command_line(argc, argv, {std::cout, std::cerr}, nullptr, {&muster::run_up});
}
