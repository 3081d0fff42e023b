import Bytes
import Dispatch
import Testing
import WBMFormat

/// Tensors that several threads write in pieces.
@Suite struct ParallelTensorWriterTests {
  private typealias Piece = WBMParallelTensorWriter.Piece

  /// All bytes of the tensors, in pieces of a size.
  private func pieces(of header: WBMHeader, size: Int) throws -> [Piece] {
    var pieces: [Piece] = []
    for (index, tensor) in header.tensors.enumerated() {
      let count = TestFiles.contents(of: tensor, seed: index).count
      for start in stride(from: 0, to: count, by: size) {
        pieces.append(Piece(tensor: index, range: start..<min(start + size, count)))
      }
    }
    return pieces
  }

  @Test(
    "Pieces of several threads give the same file as one thread", arguments: [1, 7, 1000],
    [0, 20, 1 << 16])
  func threads(size: Int, batchSize: Int) throws {
    let folder = try TemporaryFolder()
    try TestFiles.write(SampleHeaders.full, to: folder.file("a"))
    var writer = try WBMWriter(path: folder.file("b"), header: SampleHeaders.full)
    let contents = SampleHeaders.full.tensors.enumerated().map {
      TestFiles.contents(of: $1, seed: $0)
    }
    let pieces = try pieces(of: SampleHeaders.full, size: size)
    try writer.writeTensors(pieces, batchSize: batchSize) { tensorWriter in
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        while let batch = tensorWriter.claim() {
          var bytes: [UInt8] = []
          for index in batch.pieces {
            let offset = tensorWriter.offset(ofPiece: index, in: batch)
            bytes += repeatElement(0, count: offset - bytes.count)
            bytes += contents[pieces[index].tensor][pieces[index].range]
          }
          tensorWriter.write(batch, bytes.span.bytes)
        }
      }
    }
    try writer.commit(replacing: true)
    #expect(try TestFiles.read(folder.file("a")) == TestFiles.read(folder.file("b")))
  }

  @Test("An abandoned batch ends the writing with its error")
  func abandoned() throws {
    let folder = try TemporaryFolder()
    let pieces = try pieces(of: SampleHeaders.full, size: 1)
    let error = TestFiles.failure { () throws(WeighbridgeError) in
      var writer = try WBMWriter(path: folder.file("a"), header: SampleHeaders.full)
      try writer.writeTensors(pieces, batchSize: 0) { tensorWriter in
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
          while let batch = tensorWriter.claim() {
            if batch.pieces.contains(5) {
              tensorWriter.abandon(batch, WeighbridgeError(.cancelled, "cancelled"))
            } else {
              let bytes: [UInt8] = [0]
              tensorWriter.write(batch, bytes.span.bytes)
            }
          }
        }
      }
    }
    #expect(error?.code == .cancelled)
    let path = folder.file("a")
    let missing = TestFiles.failure { () throws(WeighbridgeError) in
      _ = try MappedFile(path: path)
    }
    #expect(missing?.code == .missing)
  }

  @Test("Pieces that are not the tensors' are refused")
  func wrongPieces() throws {
    let folder = try TemporaryFolder()
    for pieces in [[], [Piece(tensor: 0, range: 0..<11)], [Piece(tensor: 0, range: 1..<13)]] {
      let error = TestFiles.failure { () throws(WeighbridgeError) in
        var writer = try WBMWriter(path: folder.file("a"), header: SampleHeaders.tiny)
        try writer.writeTensors(pieces) { _ in }
      }
      #expect(error?.code == .mismatch)
    }
  }
}
