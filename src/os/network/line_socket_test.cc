#include "os/network/line_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace muster::os {
namespace line_socket_test {

using testing::ElementsAre;

class LineSockets : public testing::Test {
protected:
    LineSockets() {
        // Longer than a socket's name can be.
        directory_ = testing::TempDir() + "muster-" + std::string(150, 'x') + std::to_string(::getpid());
        std::filesystem::create_directories(directory_);
        path_ = directory_ + "/socket";
        listener_ = LineListener::open(loop_, path_, [this](std::unique_ptr<LineSocket> socket) {
                        server_ = std::move(socket);
                        server_->listen(
                            [this](std::vector<std::string> lines) {
                                for (std::string& line : lines) received_.push_back(std::move(line));
                                if (received_.size() >= wanted_) loop_.stop();
                            },
                            [this] {
                                closed_ = true;
                                loop_.stop();
                            });
                    }).value();
    }
    ~LineSockets() override { std::filesystem::remove_all(directory_); }

    RealLoop loop_;
    std::string directory_;
    std::string path_;
    std::unique_ptr<LineListener> listener_;
    std::unique_ptr<LineSocket> server_;
    std::vector<std::string> received_;
    std::size_t wanted_ = 0;
    bool closed_ = false;
};

TEST_F(LineSockets, CarryWholeLinesHoweverTheyAreCut) {
    auto client = LineSocket::connect(loop_, path_).value();
    client->listen([](std::vector<std::string>) {}, [] {});
    const std::string large(3'000'000, 'y');
    client->send("one\ntw");
    client->send("o\n\n" + large + "\n");
    wanted_ = 4;
    loop_.run();
    EXPECT_THAT(received_, ElementsAre("one", "two", "", large));
}

TEST_F(LineSockets, TellThatThePeerIsGone) {
    auto client = LineSocket::connect(loop_, path_).value();
    client->listen([](std::vector<std::string>) {}, [] {});
    client->send("last\n");
    client.reset();
    wanted_ = 99;
    loop_.run();
    EXPECT_TRUE(closed_);
    EXPECT_THAT(received_, ElementsAre("last"));
}

TEST_F(LineSockets, RefuseWithoutAListener) {
    EXPECT_FALSE(LineSocket::connect(loop_, directory_ + "/none").ok());
    listener_.reset();
    EXPECT_FALSE(LineSocket::connect(loop_, path_).ok()) << "a socket that is left there";
}

}  // namespace line_socket_test
}  // namespace muster::os
