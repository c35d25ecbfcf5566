#include "os/machine/machine_room.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <fstream>

namespace muster::os {
namespace {

std::uint64_t read_number(const char* path) {
    std::uint64_t number = 0;
    std::ifstream(path) >> number;
    return number;
}

std::optional<std::uint64_t> available_memory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word) {
        std::uint64_t kibibytes = 0;
        if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
        file.ignore(256, '\n');
    }
    return {};
}

// "0.00 0.01 0.05 1/123 4567": the second of the pair is how many there are.
std::uint64_t present_processes() {
    std::ifstream file("/proc/loadavg");
    std::string skipped;
    std::uint64_t running = 0;
    std::uint64_t present = 0;
    char slash = 0;
    file >> skipped >> skipped >> skipped >> running >> slash >> present;
    return present;
}

}  // namespace

MachineRoom machine_room(const std::string& directory) {
    MachineRoom room;
    room.memory_available = available_memory();
    struct statvfs figures;
    if (::statvfs(directory.c_str(), &figures) == 0) {
        room.disk = std::uint64_t{figures.f_blocks} * figures.f_frsize;
        room.disk_available = std::uint64_t{figures.f_bavail} * figures.f_frsize;
        room.files = figures.f_files;
        room.files_available = figures.f_favail;
    }
    room.processes = std::min(read_number("/proc/sys/kernel/pid_max"), read_number("/proc/sys/kernel/threads-max"));
    room.processes_available = room.processes - std::min(room.processes, present_processes());
    return room;
}

}  // namespace muster::os
