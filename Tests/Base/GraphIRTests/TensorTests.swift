import Bytes
import GraphIR
import Testing

/// Tensors and views of them, against what NumPy 2.4 gives.
@Suite struct TensorTests {
  /// `np.arange(24).reshape(2, 3, 4)`
  private func range(_ type: ElementType = .float32) -> Tensor {
    Tensor(type, shape: [2, 3, 4], (0..<24).map(Double.init))
  }

  @Test(
    "A permuted view has NumPy's elements in every element type", arguments: ElementType.allCases)
  func permuted(_ type: ElementType) {
    let tensor = range(type).permuted([2, 0, 1])
    let expected: [Double] = [
      0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23,
    ]
    #expect(tensor.shape == [4, 2, 3] && !tensor.isContiguous)
    #expect(tensor.doubles == (type == .bool ? expected.map { $0 == 0 ? 0 : 1 } : expected))
    #expect(tensor.contiguous().isContiguous && tensor.contiguous().doubles == tensor.doubles)
    #expect(tensor.permuted([1, 2, 0]).isContiguous)
  }

  @Test("Slices, reversed and strided views have NumPy's elements")
  func views() {
    let tensor = range()
    #expect(
      tensor.reversed(along: [1]).doubles == [
        8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, 20, 21, 22, 23, 16, 17, 18, 19, 12, 13, 14, 15,
      ])
    #expect(tensor.reversed(along: 0..<3).doubles == (0..<24).reversed().map(Double.init))
    #expect(tensor.reversed(along: [0, 1, 2]).doubles == (0..<24).reversed().map(Double.init))
    #expect(
      tensor.slice(1..<3, along: 1).doubles
        == [4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23])
    // a[:, :, 3::-2]
    let everySecond = tensor.strided(along: 2, from: 3, count: 2, step: -2)
    #expect(everySecond.shape == [2, 3, 2])
    #expect(everySecond.doubles == [3, 1, 7, 5, 11, 9, 15, 13, 19, 17, 23, 21])
    #expect(tensor.slice(3..<3, along: 1).shape == [2, 0, 4])
    #expect(tensor.slice(3..<3, along: 1).doubles == [])
    #expect(tensor.strided(along: 0, from: 0, count: 0, step: 5).doubles == [])
    #expect(tensor.slice(0..<0, along: 0).reversed(along: 0..<3).doubles == [])
  }

  @Test("A reversed view along a range of axes is the one along those axes, also when it is empty")
  func reversedRange() {
    for tensor in [range(), range().permuted([2, 0, 1]), range().slice(1..<1, along: 1)] {
      for axes in [0..<0, 0..<1, 1..<3, 0..<3] {
        let reversed = tensor.reversed(along: axes)
        #expect(reversed.shape == tensor.shape)
        #expect(reversed.doubles == tensor.reversed(along: Array(axes)).doubles)
      }
    }
    // a[:, ::-1, ::-1]
    #expect(range().reversed(along: 1..<3).doubles.prefix(5) == [11, 10, 9, 8, 7])
    #expect(range().slice(1..<1, along: 1).reversed(along: [0, 1, 2]).doubles == [])
  }

  @Test("A broadcast view repeats its elements as NumPy does")
  func broadcast() {
    let columns = Tensor(.float32, shape: [3, 1], [0, 1, 2]).broadcast(to: [3, 2])
    #expect(columns.doubles == [0, 0, 1, 1, 2, 2] && columns.count == 6)
    let rows = Tensor(.float32, shape: [2, 1, 3], (0..<6).map(Double.init))
    #expect(rows.broadcast(to: [2, 2, 3]).doubles == [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5])
    #expect(Tensor(.int8, shape: [1, 1], [7]).broadcast(to: [2, 0]).doubles == [])
  }

  @Test("Reshaping and splitting take the elements in row-major order, whatever the memory's")
  func reshaped() {
    let transposed = range().permuted([2, 0, 1])
    #expect(transposed.reshaped([4, 6]).doubles == transposed.doubles)
    // a.transpose(1, 0, 2).reshape(3, 2, 2, 2).transpose(3, 1, 0, 2)
    let split = range().permuted([1, 0, 2]).splitting(2, into: [2, 2]).permuted([3, 1, 0, 2])
    #expect(split.shape == [2, 2, 3, 2])
    #expect(
      split.doubles == [
        0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,
      ])
    #expect(Tensor(.float32, shape: [], [5]).reshaped([1, 1]).doubles == [5])
    #expect(Tensor(.float32, shape: [0, 3], []).reshaped([3, 0, 7]).shape == [3, 0, 7])
  }

  @Test("Pieces are all elements in order, whatever their size", arguments: [1, 5, 64, 1000])
  func pieces(_ size: Int) {
    for tensor in [range(), range().permuted([2, 0, 1]), range().reversed(along: [0, 2])] {
      let bytes = tensor.pieces(approximateSize: size).flatMap { $0.contiguousBytes() }
      #expect(bytes == tensor.contiguousBytes())
    }
    #expect(Tensor(.float32, shape: [2, 0], []).pieces(approximateSize: size).isEmpty)
  }

  @Test("Non-contiguous elements are copied into a buffer that can be reused")
  func buffers() {
    var buffer: [UInt8] = []
    let transposed = range().permuted([2, 1, 0])
    #expect(transposed.copyBytes(into: &buffer) == 96)
    #expect(buffer == transposed.contiguousBytes())
    var slice: [UInt8] = []
    transposed.slice(0..<1, along: 0).withBytes(&buffer) { slice = $0.copied(0..<$0.byteCount) }
    #expect(slice == Array(transposed.contiguousBytes()[..<24]) && buffer.count == 96)
    transposed.releaseMemory()
    #expect(transposed.doubles.count == 24)
  }

  @Test("A view of a range of bytes must fill it exactly and lie inside")
  func ranges() throws {
    let store = ByteStore([UInt8](repeating: 1, count: 16))
    #expect(try Tensor(.int16, shape: [2, 3], store: store, range: 4..<16).doubles.count == 6)
    #expect(try Tensor(.int8, shape: [0, 9], store: store, range: 16..<16).count == 0)
    for (shape, range) in [
      ([2, 3], 4..<15), ([2, 3], 6..<18), ([2, 3], -2..<10), ([-2, -3], 4..<16), ([], 0..<4),
      ([1 << 62, 4], 0..<0), ([0, 1 << 40, 1 << 40], 0..<0),
    ] {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try Tensor(.int16, shape: shape, store: store, range: range)
      }
      #expect(error?.code == .malformed, "\(shape) \(range)")
    }
  }
}
