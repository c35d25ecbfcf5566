// slice_child DIRECTORY: creates the scene's Job in a real store, says what was acknowledged, and goes on writing until
// it is killed.
#include <cstdio>

#include "os/real_loop.h"
#include "os/thread_worker.h"
#include "slice/scene.h"
#include "store/rocksdb_journal.h"

namespace {

using namespace muster;

os::Task<void> act(os::Loop& loop, client::Client& client) {
    const auto created = co_await slice::create_job(client);
    CHECK(created.ok(), "the Job must be created");
    const auto finished = co_await slice::finish_job(client, loop.now());
    CHECK(finished.ok(), "its status must be written");
    std::printf("%s %s\n", (*finished)->metadata.uid.str().c_str(),
                (*finished)->metadata.resource_version.str().c_str());
    std::fflush(stdout);
    for (int i = 0;; ++i) {
        auto noise = *api::from_yaml<slice::Job>(slice::kManifest);
        noise.metadata.name = "noise-" + std::to_string(i);
        (void)co_await client.create(std::move(noise));
    }
}

}  // namespace

int main(int argc, char** argv) {
    CHECK(argc == 2, "usage: slice_child DIRECTORY");
    os::RealLoop loop;
    auto journal = store::RocksdbJournal::open(loop, std::make_unique<os::ThreadWorker>("journal"), argv[1]).value();
    slice::World world(loop, *journal);
    loop.run(act(loop, world.client));
}
