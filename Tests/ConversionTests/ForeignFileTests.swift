import Foundation
import TestSupport
import Testing
import Weighbridge

/// Files and folders of TensorFlow and Keras that hold a model and cannot be read: each is named.
@Suite struct ForeignFileTests {
  private func refusal(_ bytes: [UInt8]) throws -> WeighbridgeError? {
    let folder = try TemporaryFolder()
    try Files.write(bytes, to: folder.file("model.h5"))
    return failure { _ = try Model(contentsOf: folder.file("model.h5")) }
  }

  @Test("Files of TensorFlow and lists of shards are named")
  func files() throws {
    let magic: [UInt8] = [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB]
    let index = [UInt8](repeating: 0, count: 48) + magic
    let saved: [UInt8] = [0x08, 0x01, 0x12, 0xD4, 0x03, 0x0A, 0x00]
    let graph: [UInt8] = [0x0A, 0x3A, 0x0A, 0x01, 0x78, 0x12]
    for (bytes, words) in [
      (index, "the index of a TensorFlow checkpoint"), (saved, "SavedModel (.pb)"),
      (graph, "TensorFlow graph"),
      (Array(#"model_checkpoint_path: "model""#.utf8), "names the checkpoints of TensorFlow"),
      (
        Array(#"{"metadata": {"total_size": 8}, "weight_map": {}}"#.utf8),
        "split over several files"
      ),
      (Array(#"{"class_name": "Model"}"#.utf8), "looks like JSON; an architecture goes with"),
      (Array(#""{\"class_name\": \"Model\"}""#.utf8), "looks like JSON; an architecture goes with"),
    ] {
      let error = try #require(try refusal(bytes))
      #expect(error.code == .unsupported)
      #expect(error.reason.contains(words), "\(error)")
    }
  }

  @Test("A SavedModel and a .keras archive as a folder are named")
  func folders() throws {
    let folder = try TemporaryFolder()
    for (name, members, words) in [
      ("saved", ["saved_model.pb"], "is a SavedModel folder of TensorFlow"),
      ("unzipped", ["config.json", "model.weights.h5"], "/model.weights.h5 with --architecture"),
    ] {
      let path = folder.file(name)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      for member in members { try Files.write([], to: "\(path)/\(member)") }
      let error = try #require(failure { _ = try Model(contentsOf: path) })
      #expect(error.code == .unsupported)
      #expect(error.reason.contains(words), "\(error)")
    }
  }
}
