import Bytes
import Foundation
import GraphIR
import JSON
import LayerCatalog
import Testing

/// Fourier transforms of every kind of length, and of numbers that are not finite.
@Suite struct SpectrumTests {
  /// A spectrum that NumPy computed (`Files/spectra.py`).
  struct Spectrum: Sendable {
    let length: Int
    /// The frequencies that are recorded, and their numbers.
    let frequencies: [Int]
    let real: [Double], imaginary: [Double]
  }

  private static func recorded() throws -> [Spectrum] {
    let path = (#filePath as NSString).deletingLastPathComponent + "/Files/spectra.json"
    let bytes = try #require(FileManager.default.contents(atPath: path))
    let records = try #require(try JSONValue(parsing: Array(bytes)).array)
    return records.map { (record: JSONValue) -> Spectrum in
      let numbers = { (name: String) -> [Double] in
        record.object?[name]?.array?.compactMap(\.real) ?? []
      }
      return Spectrum(
        length: record.object?["length"]?.integer ?? 0,
        frequencies: numbers("frequencies").map { Int($0) },
        real: numbers("real"), imaginary: numbers("imaginary"))
    }
  }

  /// Sample j of the recorded signals.
  private static func sample(_ j: Int) -> Double {
    let remainder = (7 * j * j + 3 * j) % 31
    return Double(remainder - 15) / 8
  }

  /// The spectra of a signal in frames without a window, `[frames, frequencies]` each.
  private func transform(_ signal: [Double], length: Int) throws -> [[Double]] {
    try STFT(fftLength: length, windowLength: length, step: length, window: .rectangular)
      .evaluate(
        [Tensor(.float64, shape: [signal.count], signal)], workers: Workers(count: 2)
      ).map(\.doubles)
  }

  @Test("The transform of every length is that of NumPy, to the last digits")
  func lengths() throws {
    let spectra = try Self.recorded()
    #expect(spectra.count == 56)
    for spectrum in spectra {
      let length = spectrum.length
      let signal = (0..<length).map(Self.sample)
      let parts = try transform(signal, length: length)
      #expect(parts.map(\.count) == [length / 2 + 1, length / 2 + 1])
      // Rounding grows with the sum of all magnitudes, of which it is a tiny fraction.
      let bound = 1e-15 * signal.reduce(0) { $0 + $1.magnitude }
      #expect(spectrum.frequencies.last == length / 2)
      for (index, frequency) in spectrum.frequencies.enumerated() {
        #expect(abs(parts[0][frequency] - spectrum.real[index]) <= bound, "\(length)")
        #expect(abs(parts[1][frequency] - spectrum.imaginary[index]) <= bound, "\(length)")
      }
    }
  }

  @Test("A quiet frame is as exact as if it were alone, whatever the frames beside it")
  func quiet() throws {
    let quiet = (0..<64).map { 1e-12 * Double($0 * $0 % 17) }
    let loud = quiet.map { 1e24 * $0 }
    let parts = try transform(loud + quiet + loud, length: 64)
    let alone = try transform(quiet, length: 64)
    #expect(parts.map { Array($0[33..<66]) } == alone)
  }

  @Test("NaN and infinities make a difference in their own frames only", arguments: [64, 15, 97])
  func special(length: Int) throws {
    var signal = (0..<3 * length).map { Double($0 % 7) }
    let plain = try transform(signal, length: length)
    signal[length + 1] = .infinity
    signal[2 * length] = .nan
    let parts = try transform(signal, length: length)
    let count = length / 2 + 1
    for (part, plain) in zip(parts, plain) {
      #expect(part[..<count] == plain[..<count])
      #expect(part[count..<2 * count].allSatisfy { !$0.isFinite })
      #expect(part[(2 * count)...].allSatisfy { $0.isNaN })
    }
    // cos(2 pi k / length) is 1 at k = 0, and its sign decides elsewhere.
    #expect(parts[0][count] == .infinity)
    let last: Double = cos(2 * Double.pi * Double(count - 1) / Double(length))
    #expect(parts[0][2 * count - 1] == (last < 0 ? -Double.infinity : Double.infinity))
  }
}
