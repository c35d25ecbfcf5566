// The composition root: where the parts are made and handed to each other. So far the command line is all there is.
#include <iostream>

#include "cli/command_line.h"

int main(int argc, char** argv) { return muster::cli::run_command_line(argc, argv, {std::cout, std::cerr}); }
