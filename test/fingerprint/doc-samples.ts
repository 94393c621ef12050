import type { DocComments } from "../../src/fingerprint/types.js";

interface DocSample {
  path: string;
  text: string;
  docs: DocComments;
}

const C_LIKE = `/*
 * Copyright (c) 2024 Someone
 */

/* Stores pairs by key. Slow. */

#include <a.h>

/* Stores one pair.
 * And more. */
static int
put(int key)
{
	return key;
}

// Stores a key
// with its value.
struct pair { int key; };

int bare(void) { return 0; }
`;

/** One for each language: a file, a function, a method and a class with what its authors wrote, and some without. */
export const SAMPLES: readonly DocSample[] = [
  {
    path: "a.dart",
    text: `// Copyright 2024 Someone. All rights reserved.

/// Stores pairs by key. Slow.
library;

import 'x.dart';

/// Stores one [Pair].
///
/// And more.
@deprecated
Future<void> put(String key) async {}

/// Stores pairs.
class Store {
  /// Stores it. Again.
  @override
  void put(String key) {}
  // a note
  void drop() {}
}
`,
    docs: {
      file: "Stores pairs by key.",
      functions: { put: "Stores one Pair.", "Store.put": "Stores it." },
      classes: { Store: "Stores pairs." },
    },
  },
  {
    path: "main.tf",
    text: `# Stores the networks of the cluster. And more.

# Stores the private network.
resource "aws_vpc" "this" {}
`,
    docs: { file: "Stores the networks of the cluster.", classes: { "aws_vpc.this": "Stores the private network." } },
  },
  {
    path: "a.ts",
    text: `// a note
/**
 * Stores pairs by key. Slow.
 */
import { x } from "./x";

/** Stores one {@link Pair}. */
export async function put(key: string): Promise<void> {}

/**
 * Stores pairs.
 *
 * @example new Store()
 */
@sealed
export class Store {
  /** Stores it. Again. */
  put(key: string): void {}
  /* a note */
  drop(): void {}
}

/** Stores later. */
export const later = () => 1;

// no doc comment
function bare() {}
`,
    docs: {
      file: "Stores pairs by key.",
      functions: { put: "Stores one Pair.", "Store.put": "Stores it.", later: "Stores later." },
      classes: { Store: "Stores pairs." },
    },
  },
  {
    path: "a.tsx",
    text: `/** @file Stores what is shown. */
/** Stores a view. */
export function View() {
  return <div />;
}
export function Bare() {
  return <p />;
}
`,
    docs: { file: "Stores what is shown.", functions: { View: "Stores a view." } },
  },
  {
    path: "a.js",
    text: `#!/usr/bin/env node
"use strict";
/**
 * Stores from the command line.
 */

/** Stores one. */
module.exports.put = function (a) {};

/** Stores all. */
class Store {}
function bare() {}
`,
    docs: {
      file: "Stores from the command line.",
      functions: { put: "Stores one." },
      classes: { Store: "Stores all." },
    },
  },
  {
    path: "a.py",
    text: `#!/usr/bin/env python
# a note
"""Stores pairs by key.

More.
"""
import x


@decorated
def put(key: str = ":") -> None:  # a note
    """Stores one pair. Really."""


class Store:
    r"""
    Stores pairs.
    """

    def put(self):
        'Stores it.'
        return 1

    def bare(self):
        return "Holds nothing"


def outer():
    def inner():
        """Stores inside."""
`,
    docs: {
      file: "Stores pairs by key.",
      functions: { put: "Stores one pair.", "Store.put": "Stores it." },
      classes: { Store: "Stores pairs." },
    },
  },
  {
    path: "a.go",
    text: `// Copyright 2024 Someone. All rights reserved.

// Package a Stores pairs by key.
//
// More.
package a

// Put Stores one pair
// at once. More.
//
//go:noinline
func Put(key string) {}

// Store Stores pairs.
type Store struct{}

type (
	// Pair Stores two.
	Pair struct{}
)

/* Get Stores what it got. */
func (s *Store) Get() {}

func bare() {}
`,
    docs: {
      file: "Package a Stores pairs by key.",
      functions: { Put: "Put Stores one pair at once.", "Store.Get": "Get Stores what it got." },
      classes: { Store: "Store Stores pairs.", Pair: "Pair Stores two." },
    },
  },
  {
    path: "a.rs",
    text: `// a note
//! Stores pairs by key.
//!
//! More.

use x::y;

/// Stores one [\`Pair\`].
///
/// # Panics
#[inline]
#[must_use]
pub fn put(key: &str) {}

/// Stores pairs.
#[derive(Debug)]
pub struct Store {}

impl Store {
    /** Stores it. */
    pub fn put(&self) {}
    // a note
    fn bare(&self) {}
}
`,
    docs: {
      file: "Stores pairs by key.",
      functions: { put: "Stores one `Pair`.", "Store.put": "Stores it." },
      classes: { Store: "Stores pairs." },
    },
  },
  {
    path: "a.java",
    text: `/*
 * Licensed under the Apache License.
 */
/** Stores what a package has. */
package a;

/**
 * Stores {@code pairs}.
 * <p>More.
 */
@Deprecated
public class Store {
  /** Stores it. @see #get */
  @Override
  public void put(String key) {}

  /**
   * {@inheritDoc}
   */
  public void get() {}
}
`,
    docs: {
      file: "Stores what a package has.",
      functions: { "Store.put": "Stores it." },
      classes: { Store: "Stores pairs." },
    },
  },
  {
    path: "Store.kt",
    text: `package a

/** Stores [pairs] by key. */
class Store(val size: Int) {
    /**
     * Stores it.
     * @param key no
     */
    @JvmStatic
    fun put(key: String) {}
    // a note
    fun bare() {}
}

/** Stores one. */
fun put() {}
`,
    docs: {
      file: "Stores pairs by key.",
      functions: { "Store.put": "Stores it.", put: "Stores one." },
      classes: { Store: "Stores pairs by key." },
    },
  },
  {
    path: "a.c",
    text: C_LIKE,
    docs: {
      file: "Stores pairs by key.",
      functions: { put: "Stores one pair." },
      classes: { pair: "Stores a key with its value." },
    },
  },
  {
    path: "a.cpp",
    text: `/// @file a.cpp
/// @brief Stores pairs by key.

namespace a {
/// Stores pairs.
template <typename T>
class Store {
 public:
  /// \\brief Stores @p key.
  /// \\param key no
  void put(T key) {}
  void bare() {}
};
}
`,
    docs: {
      file: "Stores pairs by key.",
      functions: { "a.Store.put": "Stores key." },
      classes: { "a.Store": "Stores pairs." },
    },
  },
  {
    path: "a.cs",
    text: `// a note
using System;

/// <summary>
/// Stores <see cref="Pair"/> by key.
/// </summary>
[Serializable]
public class Store {
    /// <summary>Stores it.</summary>
    /// <param name="key">no</param>
    public void Put(string key) {}
    /// <inheritdoc/>
    public void Get() {}
}
`,
    docs: { functions: { "Store.Put": "Stores it." }, classes: { Store: "Stores Pair by key." } },
  },
  {
    path: "a.rb",
    text: `# frozen_string_literal: true

# Stores pairs by key.
#
# More.

require "x"

# Stores +pairs+.
class Store
  # Stores it.
  #
  # @param key [String] no
  def put(key)
  end

  # :nodoc:
  def bare
  end
end
`,
    docs: {
      file: "Stores pairs by key.",
      functions: { "Store.put": "Stores it." },
      classes: { Store: "Stores pairs." },
    },
  },
  {
    path: "a.php",
    text: `<?php

/*
 * This file is part of X.
 */

declare(strict_types=1);

/**
 * Stores pairs by key.
 */

namespace A;

/**
 * Stores pairs.
 */
#[Attribute]
final class Store
{
    /**
     * Stores it.
     *
     * @param string $key no
     */
    public function put(string $key): void {}

    /**
     * @return int
     */
    public function bare(): int { return 1; }
}

/** Stores one. */
function put() {}
`,
    docs: {
      file: "Stores pairs by key.",
      functions: { "Store.put": "Stores it.", put: "Stores one." },
      classes: { Store: "Stores pairs." },
    },
  },
  {
    path: "a.swift",
    text: `//
//  a.swift
//
//  Created by Someone on 1/2/24.
//

import Foundation

/// Stores pairs by key.
///
/// - Note: more
@objc
public class Store {
    /// Stores it.
    /// - Parameter key: no
    func put(key: String) {}
    /** Stores all. */
    func all() {}
    // a note
    func bare() {}
}
`,
    docs: {
      functions: { "Store.put": "Stores it.", "Store.all": "Stores all." },
      classes: { Store: "Stores pairs by key." },
    },
  },
  {
    path: "a.scala",
    text: `/* a note */
package a

/** Stores [[Pair pairs]] by key.
  *
  * More.
  */
class Store {
  /** Stores it.
    * @param key no
    */
  def put(key: String): Unit = ()
  // a note
  def bare(): Unit = ()
}
`,
    docs: { functions: { "Store.put": "Stores it." }, classes: { Store: "Stores pairs by key." } },
  },
  {
    path: "a.lua",
    text: `--- Stores pairs by key.
-- More.
-- @module a
local M = {}

--- Stores one.
-- @param key no
function M.put(key)
end

--[[ Stores all. ]]
function M.all()
end

-- luacheck: ignore
local function bare()
end

return M
`,
    docs: { file: "Stores pairs by key.", functions: { "M.put": "Stores one.", "M.all": "Stores all." } },
  },
  {
    path: "a.sh",
    text: `#!/bin/sh
# Stores pairs by key.
# Usage: a KEY

# Stores one
# at once.
put() {
  echo "$1"
}

bare() {
  echo
}

################################
# Stores all.
# Globals:
#   none
################################
function all {
  echo
}
`,
    docs: { file: "Stores pairs by key.", functions: { put: "Stores one at once.", all: "Stores all." } },
  },
];
