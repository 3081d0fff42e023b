import Bytes
import Testing

@testable import ModelComparison

@Suite struct AlignmentTests {
  private func pairs(_ first: String, _ second: String) -> [[Int]] {
    Alignment(first.map { String($0) }, second.map { String($0) }).pairs.map {
      [$0.first, $0.second]
    }
  }

  @Test("Equal sequences are paired one to one")
  func equal() {
    #expect(pairs("abc", "abc") == [[0, 0], [1, 1], [2, 2]])
    #expect(pairs("", "") == [])
  }

  @Test("Elements of only one sequence have no partner")
  func insertions() {
    #expect(pairs("abcd", "abd") == [[0, 0], [1, 1], [3, 2]])
    #expect(pairs("bd", "abcd") == [[0, 1], [1, 3]])
    #expect(pairs("abc", "") == [])
    #expect(pairs("abc", "xyz") == [])
  }

  @Test("The longest common subsequence is found, whichever way it lies", arguments: 0..<200)
  func longest(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    func sequence() -> [String] {
      (0..<Int.random(in: 0..<12, using: &random)).map { _ in
        String(Int.random(in: 0..<3, using: &random))
      }
    }
    let (first, second) = (sequence(), sequence())
    let pairs = Alignment(first, second).pairs
    #expect(pairs.allSatisfy { first[$0.first] == second[$0.second] })
    #expect(
      zip(pairs, pairs.dropFirst()).allSatisfy { $0.first < $1.first && $0.second < $1.second })
    #expect(pairs.count == longestLength(first, second))
  }

  /// The longest common subsequence by the textbook's table.
  private func longestLength(_ first: [String], _ second: [String]) -> Int {
    var row = [Int](repeating: 0, count: second.count + 1)
    for element in first {
      var next = row
      for (index, other) in second.enumerated() {
        next[index + 1] = element == other ? row[index] + 1 : max(row[index + 1], next[index])
      }
      row = next
    }
    return row[second.count]
  }

  @Test("Sequences that have nothing in common are not compared for ever")
  func hopeless() {
    let first = (0..<20_000).map { "a\($0)" }
    let second = (0..<20_000).map { "b\($0)" }
    #expect(Alignment(first, second).pairs.isEmpty)
  }
}
