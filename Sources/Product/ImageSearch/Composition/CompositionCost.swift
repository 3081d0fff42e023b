public import Bytes

/// The differences between two compositions, as unweighted sums.
public struct CompositionTerms: Hashable, Sendable {
  /// The sum of |wanted - found| over the classes that count.
  public var presence: Double
  /// The sum of |1 - d·d'| over the assigned objects whose nearest wanted object is assigned too,
  /// where d and d' are the unit vectors between the two centers as wanted and as found; 0 where
  /// the centers coincide on either side.
  public var relativePosition: Double
  /// The sum of |√(area wanted) - √(area found)| over the assigned objects; areas are fractions of
  /// the image.
  public var size: Double
  /// The sum of min(2, |ln(r / r')|) over the same pairs as the relative position, where r and r'
  /// are the ratios of the objects' √area as wanted and as found.
  public var relativeSize: Double

  /// Makes terms.
  public init(
    presence: Double = 0, relativePosition: Double = 0, size: Double = 0, relativeSize: Double = 0
  ) {
    self.presence = presence
    self.relativePosition = relativePosition
    self.size = size
    self.relativeSize = relativeSize
  }
}

/// The weight of each term.
public struct CompositionWeights: Hashable, Sendable {
  /// The weight of ``CompositionTerms/presence``.
  public var presence: Double
  /// The weight of ``CompositionTerms/relativePosition``.
  public var relativePosition: Double
  /// The weight of ``CompositionTerms/size``.
  public var size: Double
  /// The weight of ``CompositionTerms/relativeSize``.
  public var relativeSize: Double

  /// Makes weights.
  public init(
    presence: Double = 2, relativePosition: Double = 1.5, size: Double = 1,
    relativeSize: Double = 0.5
  ) {
    self.presence = presence
    self.relativePosition = relativePosition
    self.size = size
    self.relativeSize = relativeSize
  }

  /// The cost: the weighted sum of the terms.
  public func cost(of terms: CompositionTerms) -> Double {
    presence * terms.presence + relativePosition * terms.relativePosition + size * terms.size
      + relativeSize * terms.relativeSize
  }

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when a weight is negative or not
  ///   finite.
  func check() throws(WeighbridgeError) {
    for weight in [presence, relativePosition, size, relativeSize]
    where !(weight >= 0 && weight.isFinite) {
      throw .mismatch("a weight is \(weight); weights are numbers from 0")
    }
  }
}

/// The fit of a composition to the wanted one.
public struct CompositionMatch: Hashable, Sendable {
  /// How the assignment was found.
  public enum Method: String, Hashable, Sendable, CaseIterable {
    /// An assignment with the lowest cost of all.
    case exact
    /// The Hungarian method for the terms of single objects, then exchanges of two objects as long
    /// as they lower the cost. There may be a better assignment.
    case improved
  }

  /// The weighted sum of the terms; lower is better.
  public var cost: Double
  /// The terms.
  public var terms: CompositionTerms
  /// For each wanted object, the index of the found one that is assigned to it.
  public var assignment: [Int?]
  /// How the assignment was found.
  public var method: Method
}

/// A search by composition.
public struct CompositionQuery: Hashable, Sendable {
  /// The most wanted objects for which the assignment is exact.
  public static let exactObjectCount = 8

  /// The wanted objects.
  public var composition: Composition
  /// The weight of each term.
  public var weights = CompositionWeights()
  /// The classes that count for the presence; all when `nil`.
  public var classes: [String]?
  /// Images whose cost is not below this are left out.
  public var maximumCost = 5.0
  /// The number of images to return, those with the lowest cost; all when `nil`.
  public var maximumCount: Int?

  /// Searches for a composition with the default weights, in all classes.
  public init(_ composition: Composition) { self.composition = composition }

  /// Returns how well another composition fits.
  ///
  /// - Parameter found: The composition of an image. Its labels need not be among the wanted ones.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the query is invalid
  ///   (``Composition/check(labels:)``), or a weight is negative.
  public func match(_ found: Composition) throws(WeighbridgeError) -> CompositionMatch {
    let names = composition.objects.map(\.label) + found.objects.map(\.label) + (classes ?? [])
    var labels: [String] = []
    var listed: Set<String> = []
    for name in names where listed.insert(name).inserted { labels.append(name) }
    let matcher = try CompositionMatcher(self, labels: labels)
    let scene = FoundScene(found, classes: matcher.classes)
    var counter = matcher.presence
    let presence = counter.presence(of: scene.classes)
    // There is always an assignment, and its cost is below an infinite limit.
    guard let match = matcher.match(scene, presence: presence, below: .infinity) else {
      throw .mismatch("the cost of the layout is not finite")
    }
    return match
  }
}
