import Bytes
import HDF5File
import Testing

@Suite("Groups and links of HDF5 files")
struct GroupTests {
  @Test("A group lists its members with their kinds, links not followed")
  func members() throws {
    let group = try open("links.h5").group(at: "/")
    let kinds = Dictionary(uniqueKeysWithValues: group.members.map { ($0.name, $0.kind) })
    #expect(
      kinds == [
        "a": .group, "soft": .softLink, "chain": .softLink, "loop1": .softLink,
        "loop2": .softLink, "dangling": .softLink, "external": .externalLink,
        "through": .softLink, "second": .dataset,
      ])
    #expect(group.members.map(\.name) == group.members.map(\.name).sorted())
  }

  @Test(
    "Soft links inside the file are followed",
    arguments: [
      "/soft/c/data", "/chain", "/a/relative", "/second", "/a/b/up/b/c/top/second",
      "//a/./b/c/data",
    ])
  func softLinks(path: String) throws {
    let file = try open("links.h5")
    #expect(try file.elements(path, as: UInt32.self) == [0, 1, 2])
    #expect(try file.exists(path))
  }

  @Test("A soft link that leads in a circle or nowhere is an error")
  func softLoops() throws {
    let file = try open("links.h5")
    expectFailure(.limitExceeded, "more than 16 soft links") { _ = try file.dataset(at: "/loop1") }
    expectFailure(.malformed, "/dangling: the file has nothing") {
      _ = try file.dataset(at: "/dangling")
    }
    #expect(try !file.exists("/dangling"))
    #expect(try !file.exists("/second/below"))
    #expect(try !file.exists("/a/.."))
  }

  @Test("Links into other files are never followed", arguments: ["/external", "/through"])
  func externalLinks(path: String) throws {
    let file = try open("links.h5")
    expectFailure(.unsupported, "link into another file, numbers.h5, which is never followed") {
      _ = try file.dataset(at: path)
    }
  }

  @Test("A walk enters each group once, whatever links lead to it")
  func walk() throws {
    let members = try open("links.h5").members(below: "/")
    let groups = members.filter { $0.kind == .group }.map(\.path).sorted()
    #expect(groups == ["/a", "/a/b", "/a/b/c", "/a/b/c/top", "/a/b/up"])
    let datasets = members.filter { $0.kind == .dataset }.map(\.path).sorted()
    #expect(datasets == ["/a/b/c/data", "/second"])
  }

  @Test("Paths and walks stop at their limits")
  func limits() throws {
    var limits = HDF5File.Limits()
    limits.depth = 20
    let path = String(repeating: "/g", count: 30)
    #expect(try open("deep.h5").group(at: path).members.isEmpty)
    #expect(try open("deep.h5").members(below: "/").count == 30)
    let shallow = try open("deep.h5", limits: limits)
    expectFailure(.limitExceeded, "more than 20 links") { _ = try shallow.group(at: path) }
    expectFailure(.limitExceeded, "more than 20 links") { _ = try shallow.members(below: "/") }
    limits.memberCount = 3
    let small = try open("links.h5", limits: limits)
    expectFailure(.limitExceeded, "has more than 3 members") { _ = try small.group(at: "/") }
  }

  @Test("Paths of members are limited, one and all together")
  func pathLimits() throws {
    var limits = HDF5File.Limits()
    limits.pathByteCount = 40
    let short = try open("deep.h5", limits: limits)
    expectFailure(.limitExceeded, "a member whose path takes 42 bytes, over the limit of 40") {
      _ = try short.members(below: "/")
    }
    limits = HDF5File.Limits()
    limits.memberPathsByteCount = 500
    let few = try open("deep.h5", limits: limits)
    expectFailure(.limitExceeded, "take over 500 bytes in all") { _ = try few.members(below: "/") }
    #expect(try few.group(at: "/g").members.map(\.path) == ["/g/g"])
  }

  @Test("A name that is not UTF-8 is listed without its object, and the others are read")
  func otherNames() throws {
    var bytes = try MappedFile(path: file("links.h5")).withBytes { $0.copied(0..<$0.byteCount) }
    let name = Array("relative".utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    bytes[start + 1] = 0xDF
    let file = try HDF5File(ByteStore(bytes), path: "names.h5")
    let members = try file.group(at: "/a").members
    #expect(members.map(\.path) == ["/a/b", "/a/r\u{FFFD}lative"])
    #expect(members.map(\.kind) == [.group, .other])
    #expect(try file.members(below: "/").contains { $0.path == "/a/b/c/data" })
    #expect(try !file.exists("/a/r\u{FFFD}lative"))
    #expect(try file.elements("/chain", as: UInt32.self) == [0, 1, 2])
  }

  @Test("A dataset is not a group, and a group is not a dataset")
  func kinds() throws {
    let file = try open("links.h5")
    expectFailure(.malformed, "/second: is not a group") { _ = try file.group(at: "/second") }
    expectFailure(.malformed, "/a: is not a dataset") { _ = try file.dataset(at: "/a") }
  }
}
