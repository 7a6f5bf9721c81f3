// Nothing is to be called: the constructor in closedpipes.c does it.
#pragma once
