import Bytes
import Foundation
import TestSupport
import Testing
import Weighbridge

/// A flipped bit anywhere in a file is detected.
@Suite struct BitFlipTests {
  private static let preambleSize = 64

  /// A small trained classifier as a `.wbm` file with its references.
  private func classifier(_ folder: TemporaryFolder) throws -> String {
    let sample = Paths.sample("Models/sketch-classifier")
    var model = try Model(contentsOf: "\(sample)/sketch-classifier.h5")
    try model.addReferences(
      inputs: ArrayFile.read("\(sample)/input.npy"),
      outputs: ArrayFile.read("\(sample)/outputs.npz"), author: "keras 2.1.5")
    try model.write(to: folder.file("classifier.wbm"))
    return folder.file("classifier.wbm")
  }

  /// Whether reading the file fails, or verifying it does.
  private func isNoticed(_ path: String) throws -> Bool {
    var options = VerifyOptions()
    options.run.threads = 1
    do throws(WeighbridgeError) {
      return try !Model(contentsOf: path).verify(options).passed
    } catch {
      return true
    }
  }

  private func expectNoticed(_ bits: some Sequence<Int>, in path: String) throws {
    let bytes = try Files.read(path)
    let file = try FileHandle(forUpdating: URL(filePath: path))
    defer { try? file.close() }
    for bit in bits {
      let (offset, mask) = (bit / 8, UInt8(1) << UInt8(bit % 8))
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: [bytes[offset] ^ mask])
      #expect(try isNoticed(path), "bit \(bit % 8) of byte \(offset)")
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: [bytes[offset]])
    }
    #expect(try Files.read(path) == bytes)
    #expect(try !isNoticed(path))
  }

  @Test("A flipped bit is noticed at each of 1,000 random places")
  func randomPlaces() throws {
    let folder = try TemporaryFolder()
    let path = try classifier(folder)
    var random = SplitMix64(seed: 2)
    let bitCount = try Files.size(path) * 8
    try expectNoticed(
      (0..<1000).map { _ in Int.random(in: 0..<bitCount, using: &random) }, in: path)
  }

  @Test("A flipped bit is noticed everywhere in the preamble")
  func preamble() throws {
    let folder = try TemporaryFolder()
    try expectNoticed(0..<Self.preambleSize * 8, in: try classifier(folder))
  }

  @Test("A flipped bit is noticed at 1,000 random places of the header")
  func header() throws {
    let folder = try TemporaryFolder()
    let path = try classifier(folder)
    var random = SplitMix64(seed: 3)
    let headerBits = Self.preambleSize * 8..<Self.preambleSize * 8 + 5000 * 8
    try expectNoticed(
      (0..<1000).map { _ in Int.random(in: headerBits, using: &random) }, in: path)
  }

  @Test("A file that was cut short or grew is refused", arguments: [-1, -64, 1, 64])
  func length(change: Int) throws {
    let folder = try TemporaryFolder()
    let path = try classifier(folder)
    let bytes = try Files.read(path)
    try Files.write(
      change < 0 ? bytes.dropLast(-change) : bytes + Array(repeating: 0, count: change), to: path)
    let code: WeighbridgeError.Code = change < 0 ? .truncated : .malformed
    #expect(failure { _ = try Model(contentsOf: path) }?.code == code)
  }
}
