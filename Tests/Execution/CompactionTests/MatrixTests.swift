import Bytes
import GraphIR
import Testing

@testable import Compaction

/// Linear algebra against plain sums in Double.
@Suite struct MatrixTests {
  private static func random(_ rows: Int, _ columns: Int, seed: UInt64) -> Matrix {
    var generator = SplitMix64(seed: seed)
    return Matrix(
      rows: rows, columns: columns,
      (0..<rows * columns).map { _ in Float.random(in: -1...1, using: &generator) })
  }

  /// The first and the last rows, those at the borders of blocks, and some between them: the tests are
  /// not optimized, and all rows take half a minute.
  private static func rows(of count: Int) -> [Int] {
    (0..<count).filter { row in
      row < 2 || row >= count - 2 || [0, 63].contains(row % 64) || row % 17 == 0
    }
  }

  private static func row(_ row: Int, of matrix: Matrix) -> [Double] {
    (0..<matrix.columns).map { Double(matrix[row, $0]) }
  }

  private static func product(_ first: [Double], _ second: [Double], count: Int) -> Double {
    var sum = 0.0
    for index in 0..<count { sum += first[index] * second[index] }
    return sum
  }

  @Test(arguments: [(1, 1, 1), (7, 5, 3), (64, 33, 300), (250, 530, 257), (13, 700, 600)])
  func `a product is the sum of products`(_ rows: Int, _ columns: Int, _ depth: Int) {
    let (first, second) = (
      Self.random(rows, depth, seed: 1), Self.random(depth, columns, seed: 2)
    )
    var target = Self.random(rows, columns, seed: 3)
    let before = target
    target.add(product: first, second, workers: Workers(count: 2))
    let transposed = (0..<columns).map { column in
      (0..<depth).map { Double(second[$0, column]) }
    }
    let tested = Self.rows(of: rows)
    #expect(tested.count >= min(rows, 4))
    for row in tested {
      let factors = Self.row(row, of: first)
      let errors = (0..<columns).map { column in
        let sum = Self.product(factors, transposed[column], count: depth)
        return abs(Double(target[row, column]) - Double(before[row, column]) - sum)
      }
      #expect(errors.max() ?? .infinity < 1e-6 * Double(depth + 8))
    }
  }

  @Test func `moments are the sums of products of columns`() {
    let vectors = Self.random(300, 260, seed: 4)
    var moments = Matrix(rows: 260, columns: 260)
    moments.add(momentsOf: vectors, workers: Workers(count: 2))
    let columns = (0..<260).map { column in (0..<300).map { Double(vectors[$0, column]) } }
    let tested = Self.rows(of: 260)
    #expect(tested.count == 26)
    for row in tested {
      let errors = (0...row).map { column in
        abs(
          Double(moments[row, column])
            - Self.product(columns[row], columns[column], count: 300))
      }
      #expect(errors.max() ?? .infinity < 1e-4)
    }
  }

  @Test(arguments: [1, 5, 128, 129, 400])
  func `a factor times its transpose is the matrix`(_ count: Int) {
    let vectors = Self.random(2 * count, count, seed: 5)
    var matrix = Matrix(rows: count, columns: count)
    matrix.add(momentsOf: vectors, workers: Workers(count: 1))
    let expected = matrix
    let isFactored = matrix.factor(workers: Workers(count: 2))
    #expect(isFactored)
    let factor = (0..<count).map { Self.row($0, of: matrix) }
    let tested = Self.rows(of: count)
    #expect(tested.count >= min(count, 4))
    for row in tested {
      let errors = (0...row).map { column in
        abs(
          Double(expected[row, column])
            - Self.product(factor[row], factor[column], count: column + 1))
      }
      #expect(errors.max() ?? .infinity < 1e-5 * Double(count))
    }
  }

  @Test func `a matrix that is not positive definite has no factor`() {
    var matrix = Matrix(rows: 2, columns: 2, [1, 0, 2, 1])
    let isFactored = matrix.factor(workers: Workers(count: 1))
    #expect(!isFactored)
    var other = Matrix(rows: 1, columns: 1, [.nan])
    let isOtherFactored = other.factor(workers: Workers(count: 1))
    #expect(!isOtherFactored)
  }

  @Test func `the number of threads changes no bit`() {
    let (first, second) = (Self.random(500, 90, seed: 6), Self.random(90, 1100, seed: 7))
    let results = [1, 2, 3].map { threads in
      var product = Matrix(rows: 500, columns: 1100)
      product.add(product: first, second, workers: Workers(count: threads))
      var moments = Matrix(rows: 500, columns: 500)
      moments.add(momentsOf: Self.random(700, 500, seed: 8), workers: Workers(count: threads))
      let isFactored = moments.factor(workers: Workers(count: threads))
      #expect(isFactored)
      return (product.elements, moments.elements)
    }
    for result in results { #expect(result == results[0]) }
  }
}
