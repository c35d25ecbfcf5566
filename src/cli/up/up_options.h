// What `muster up` was told on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace muster::cli {

struct UpOptions {
    std::string data_directory = "muster-data";
    std::string listen = "127.0.0.1:6443";
    std::string node = "process";
    std::string controllers = "*";
    std::string feature_gates{};
    std::string config_file{};  // how queueing works; empty: as it does without being told
    std::string token_file{};
    std::string audit_log{};
    std::string buffer_memory{};  // what is kept for clients, all together; empty: by the machine's memory
    std::string container_log_size_max = "10Mi";
    int container_log_files_max = 5;
    std::string pod_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    std::string event_life = "1h";
    std::int64_t events_max_count = 100'000;
    std::string events_max_size = "64Mi";
    std::uint64_t accept_loss_from = 0;  // the first revision that may be gone; 0: none
    std::string pod_user{};              // empty: the server's, for administrators; "same": for all; else a user's name
};

}  // namespace muster::cli
